import type { UnreadableFile } from '@parley/knowledge'
import { type Reader, type Reading, unreadable, whyNotRead } from './reading.ts'
import { cleanText, decodeText } from './text/decode-text.ts'
import { CHAT_ARCHIVE } from './zip/zip-media-type.ts'

export interface Format {
  /** Loaded on demand, since some libraries are large. */
  readonly reader: () => Promise<Reader>
  /** The message if a third-party library, run in a thread, cannot read the file. */
  readonly whenBroken?: string
}

export const PDF = 'application/pdf'
export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
export const TRANSCRIPT = 'application/vnd.parley.transcript+json'

const html: Format = {
  reader: uncleaned(async () => (await import('./formats/html.ts')).readHtml),
  whenBroken: 'The HTML is broken or nested too deeply: save the page as plain text.',
}

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  [
    'text/plain',
    { reader: cleaned(async () => (await import('./formats/text-and-markdown.ts')).readPlainText) },
  ],
  [
    'text/markdown',
    { reader: cleaned(async () => (await import('./formats/text-and-markdown.ts')).readMarkdown) },
  ],
  ['text/vtt', { reader: cleaned(async () => (await import('./formats/subtitles.ts')).readSubtitles) }],
  [
    'application/x-subrip',
    { reader: cleaned(async () => (await import('./formats/subtitles.ts')).readSubtitles) },
  ],
  [
    'application/json',
    { reader: uncleaned(async () => (await import('./chats/chat-export.ts')).readChatExport) },
  ],
  [
    TRANSCRIPT,
    { reader: uncleaned(async () => (await import('./chats/assistant-exports.ts')).readTranscript) },
  ],
  [
    CHAT_ARCHIVE,
    {
      reader: async () => (await import('./chats/chat-archive.ts')).readChatArchive,
      whenBroken: 'The archive is broken: export the chat again.',
    },
  ],
  ['text/html', html],
  ['application/xhtml+xml', html],
  [
    PDF,
    {
      reader: async () => (await import('./formats/pdf.ts')).readPdf,
      whenBroken: 'The PDF is broken: open it, and save or print it as a PDF again.',
    },
  ],
  [
    DOCX,
    {
      reader: async () => (await import('./formats/docx.ts')).readDocx,
      whenBroken: 'The Word document is broken: open it in Word or LibreOffice and save it again as .docx.',
    },
  ],
])

/** The format for a media type; undefined if it is not supported. */
export const formatOf = (mediaType: string): Format | undefined => FORMATS.get(mediaType)

type TextReader = (text: string) => Reading | UnreadableFile

function cleaned(load: () => Promise<TextReader>): Format['reader'] {
  return uncleaned(async () => {
    const read = await load()
    return (text) => read(cleanText(text))
  })
}

/** Without cleaning: the removed characters may be part of JSON. */
function uncleaned(load: () => Promise<TextReader>): Format['reader'] {
  return async () => {
    const read = await load()
    return (bytes) => readText(bytes, read)
  }
}

function readText(bytes: Uint8Array, read: TextReader): Reading | UnreadableFile {
  const text = decodeText(bytes)
  if (text !== undefined) return read(text)
  return unreadable(whyNotRead('application/octet-stream'))
}
