import { MAX_SOURCE_BYTES } from '@parley/contracts'
import type { Segment, UnreadableFile } from '@parley/knowledge'

/** A file being read. Its segments may have any length and are not cleaned yet. */
export interface OpenedDocument {
  readonly title?: string | undefined
  readonly segments: Iterable<Segment> | AsyncIterable<Segment>
  /** The message if no segment has text. */
  readonly whenEmpty?: string
}

export type DocumentReader = (
  bytes: Uint8Array,
  limits: ReadingLimits,
) => OpenedDocument | UnreadableFile | Promise<OpenedDocument | UnreadableFile>

export const toUnreadable = (why: string): UnreadableFile => ({ kind: 'unreadable', why })

/** Limits on file size, output and resources. */
export interface ReadingLimits {
  readonly maxBytes: number
  readonly maxCharacters: number
  readonly maxSegments: number
  readonly maxPages: number
  readonly maxMilliseconds: number
  /** The thread's heap. */
  readonly maxHeapMegabytes: number
  /** The thread's buffers, which are outside of its heap. */
  readonly maxBufferMegabytes: number
}

export const READING_LIMITS: ReadingLimits = {
  maxBytes: MAX_SOURCE_BYTES,
  maxCharacters: 20_000_000,
  maxSegments: 1_500_000,
  maxPages: 2_000,
  maxMilliseconds: 120_000,
  maxHeapMegabytes: 512,
  maxBufferMegabytes: 768,
}

/** The longest text of one segment, in characters. */
export const MAX_SEGMENT_LENGTH = 4_000

/** Paragraphs are joined up to about this length. */
export const GROUP_LENGTH = 1_500

const SUPPORTED_FORMATS = 'text, Markdown, HTML, PDF, .docx, subtitles (.vtt, .srt) and chat exports'

const REASONS_BY_TYPE: ReadonlyMap<string, string> = new Map([
  ['application/rtf', 'RTF is not read: save it as .docx or .txt.'],
  ['application/vnd.oasis.opendocument.text', 'OpenDocument is not read: save it as .docx or .txt.'],
  ['application/msword', 'Word’s old format is not read: save it as .docx or .txt.'],
  ['application/vnd.apple.pages', 'Pages is not read: export it as .docx or .pdf.'],
  ['application/epub+zip', 'EPUB is not read: save it as .txt or .pdf.'],
  ['application/postscript', 'PostScript is not read: save it as .pdf.'],
  ['application/octet-stream', 'The file is not text, despite its name: save it as .txt or .pdf.'],
  [
    'application/zip',
    'An archive is not read, unless it is an export of one WhatsApp chat, of Slack, ChatGPT or Claude: unpack it and add the files in it.',
  ],
])

const REASONS_BY_FAMILY: ReadonlyMap<string, string> = new Map([
  ['image', 'An image is not read: add its text as .txt, or a PDF that holds text.'],
  ['audio', 'A recording is not read: add its transcript as .vtt, .srt or .txt.'],
  ['video', 'A recording is not read: add its transcript as .vtt, .srt or .txt.'],
])

/** Why files of a media type are not read, and what to do. */
export function explainUnsupported(mediaType: string): string {
  const [family = ''] = mediaType.split('/')
  return (
    REASONS_BY_TYPE.get(mediaType) ??
    REASONS_BY_FAMILY.get(family) ??
    `Files of this type (${mediaType}) are not supported. Supported: ${SUPPORTED_FORMATS}.`
  )
}
