import { MAX_SOURCE_BYTES } from '@parley/contracts'
import type { Segment, UnreadableFile } from '@parley/knowledge'

/** A file being read. Its segments may have any length and are not cleaned yet. */
export interface Reading {
  readonly title?: string | undefined
  readonly segments: Iterable<Segment> | AsyncIterable<Segment>
  /** The message if no segment has text. */
  readonly whenEmpty?: string
}

export type Reader = (
  bytes: Uint8Array,
  limits: Limits,
) => Reading | UnreadableFile | Promise<Reading | UnreadableFile>

export const unreadable = (why: string): UnreadableFile => ({ kind: 'unreadable', why })

/** Limits on file size, output and resources. */
export interface Limits {
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

export const LIMITS: Limits = {
  maxBytes: MAX_SOURCE_BYTES,
  maxCharacters: 20_000_000,
  maxSegments: 1_500_000,
  maxPages: 2_000,
  maxMilliseconds: 120_000,
  maxHeapMegabytes: 512,
  maxBufferMegabytes: 768,
}

/** The longest text of one segment, in characters. */
export const MAX_SEGMENT = 4_000

/** Paragraphs are joined up to about this length. */
export const GROUP = 1_500

const READ = 'text, Markdown, HTML, PDF, .docx, subtitles (.vtt, .srt) and chat exports'

const BY_TYPE: ReadonlyMap<string, string> = new Map([
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

const BY_FAMILY: ReadonlyMap<string, string> = new Map([
  ['image', 'An image is not read: add its text as .txt, or a PDF that holds text.'],
  ['audio', 'A recording is not read: add its transcript as .vtt, .srt or .txt.'],
  ['video', 'A recording is not read: add its transcript as .vtt, .srt or .txt.'],
])

/** Why files of a media type are not read, and what to do. */
export function whyNotRead(mediaType: string): string {
  const [family = ''] = mediaType.split('/')
  return (
    BY_TYPE.get(mediaType) ??
    BY_FAMILY.get(family) ??
    `Files of this type (${mediaType}) are not supported. Supported: ${READ}.`
  )
}
