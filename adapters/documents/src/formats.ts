import type { UnreadableFile } from '@parley/knowledge'
import {
  type DocumentReader,
  type OpenedDocument,
  toUnreadable,
  explainUnsupported,
} from './document-reader.ts'
import { cleanText, decodeDocumentText } from './text/decode-document-text.ts'
import { CHAT_ARCHIVE } from './zip/detect-zip-type.ts'

export interface DocumentFormat {
  /** Loaded on demand, since some libraries are large. */
  readonly loadReader: () => Promise<DocumentReader>
  /** The message if a third-party library, run in a thread, cannot read the file. */
  readonly whenBroken?: string
}

export const PDF = 'application/pdf'
export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
export const TRANSCRIPT = 'application/vnd.parley.transcript+json'

const html: DocumentFormat = {
  loadReader: createTextLoader(async () => (await import('./formats/html.ts')).readHtml),
  whenBroken: 'The HTML is broken or nested too deeply: save the page as plain text.',
}

const FORMATS: ReadonlyMap<string, DocumentFormat> = new Map<string, DocumentFormat>([
  [
    'text/plain',
    {
      loadReader: createCleanTextLoader(
        async () => (await import('./formats/text-and-markdown.ts')).readPlainText,
      ),
    },
  ],
  [
    'text/markdown',
    {
      loadReader: createCleanTextLoader(
        async () => (await import('./formats/text-and-markdown.ts')).readMarkdown,
      ),
    },
  ],
  [
    'text/vtt',
    { loadReader: createCleanTextLoader(async () => (await import('./formats/subtitles.ts')).readSubtitles) },
  ],
  [
    'application/x-subrip',
    { loadReader: createCleanTextLoader(async () => (await import('./formats/subtitles.ts')).readSubtitles) },
  ],
  [
    'application/json',
    { loadReader: createTextLoader(async () => (await import('./chats/chat-export.ts')).readChatExport) },
  ],
  [
    TRANSCRIPT,
    {
      loadReader: createTextLoader(async () => (await import('./chats/assistant-exports.ts')).readTranscript),
    },
  ],
  [
    CHAT_ARCHIVE,
    {
      loadReader: async () => (await import('./chats/chat-archive.ts')).readChatArchive,
      whenBroken: 'The archive is broken: export the chat again.',
    },
  ],
  ['text/html', html],
  ['application/xhtml+xml', html],
  [
    PDF,
    {
      loadReader: async () => (await import('./formats/pdf.ts')).readPdf,
      whenBroken: 'The PDF is broken: open it, and save or print it as a PDF again.',
    },
  ],
  [
    DOCX,
    {
      loadReader: async () => (await import('./formats/docx.ts')).readDocx,
      whenBroken: 'The Word document is broken: open it in Word or LibreOffice and save it again as .docx.',
    },
  ],
])

/** The format for a media type; undefined if it is not supported. */
export const findFormat = (mediaType: string): DocumentFormat | undefined => FORMATS.get(mediaType)

type TextReader = (text: string) => OpenedDocument | UnreadableFile

function createCleanTextLoader(load: () => Promise<TextReader>): DocumentFormat['loadReader'] {
  return createTextLoader(async () => {
    const read = await load()
    return (text) => read(cleanText(text))
  })
}

/** Without cleaning: the removed characters may be part of JSON. */
function createTextLoader(load: () => Promise<TextReader>): DocumentFormat['loadReader'] {
  return async () => {
    const read = await load()
    return (bytes) => readDecodedText(bytes, read)
  }
}

function readDecodedText(bytes: Uint8Array, read: TextReader): OpenedDocument | UnreadableFile {
  const text = decodeDocumentText(bytes)
  if (text !== undefined) return read(text)
  return toUnreadable(explainUnsupported('application/octet-stream'))
}
