import { fileTypeFromBuffer } from 'file-type'
import type { ExtractedText, OriginalFile, UnreadableFile } from '@parley/knowledge'
import { DOCX, PDF, TRANSCRIPT, findFormat } from './formats.ts'
import { collectSegments, readFile } from './read-file.ts'
import { READING_LIMITS, type ReadingLimits, toUnreadable, explainUnsupported } from './document-reader.ts'
import { decodeDocumentText } from './text/decode-document-text.ts'
import { readInThread } from './thread/read-in-thread.ts'
import { detectZipType } from './zip/detect-zip-type.ts'

/** Up to this size our own readers finish before a thread would start. */
const SMALL_FILE_BYTES = 256_000

/** Extracts the text of a file. Rejects only when `signal` is aborted. */
export async function extractText(
  file: OriginalFile,
  signal: AbortSignal,
  limits: Partial<ReadingLimits> = {},
): Promise<ExtractedText | UnreadableFile> {
  signal.throwIfAborted()
  const bounds = { ...READING_LIMITS, ...limits }
  if (file.bytes.length === 0) return toUnreadable('The file is empty.')
  if (file.bytes.length > bounds.maxBytes) {
    return toUnreadable(
      `The file has ${file.bytes.length} bytes, and at most ${bounds.maxBytes} are read: split it into smaller files.`,
    )
  }

  const mediaType = await detectFileType(file.bytes, file.fileName, file.mediaType)
  signal.throwIfAborted()
  const format = findFormat(mediaType)
  if (!format) return toUnreadable(explainUnsupported(mediaType))
  if (format.whenBroken || file.bytes.length > SMALL_FILE_BYTES) {
    return readInThread({ bytes: file.bytes, mediaType, limits: bounds }, signal)
  }
  return collectSegments(mediaType, (keep) => readFile(file.bytes, mediaType, bounds, keep))
}

/** Enough bytes to detect a file's type. */
const OPENING_BYTES = 16_384

const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['txt', 'text/plain'],
  ['text', 'text/plain'],
  ['log', 'text/plain'],
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['xhtml', 'application/xhtml+xml'],
  ['vtt', 'text/vtt'],
  ['srt', 'application/x-subrip'],
  ['json', 'application/json'],
  ['pdf', PDF],
  ['docx', DOCX],
  ['doc', 'application/msword'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['rtf', 'application/rtf'],
])

/** Formats that consist of text but are not read as text. */
const TEXT_BASED = new Set([PDF, 'application/rtf', 'application/postscript', 'image/svg+xml'])

/** Detects a file's media type: by its bytes, then by its name and the given type, then by its text. */
export async function detectFileType(bytes: Uint8Array, fileName?: string, given?: string): Promise<string> {
  const declared = given?.split(';')[0]?.trim().toLowerCase()
  const named = TYPES_BY_EXTENSION.get(getExtension(fileName ?? ''))
  const opening = bytes.subarray(0, OPENING_BYTES)
  const text = decodeDocumentText(dropPartialCharacter(opening))

  const detected = await detectSignature(bytes, opening)
  if (detected && (text === undefined || TEXT_BASED.has(detected))) {
    // A truncated archive has lost its directory.
    return detected === 'application/zip' && named === DOCX ? DOCX : detected
  }
  // Unknown bytes with the name or type of a document are a broken document.
  if (text === undefined)
    return [named, declared].find((type) => type === DOCX || type === PDF) ?? 'application/octet-stream'
  if (declared === TRANSCRIPT) return declared
  const textType = [named, declared].find(
    (type) => type !== undefined && type !== 'text/plain' && isReadAsText(type),
  )
  return textType ?? detectTextType(text, named)
}

const getExtension = (name: string) => /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''

const isReadAsText = (type: string) => findFormat(type) !== undefined && type !== DOCX && type !== PDF

async function detectSignature(bytes: Uint8Array, opening: Uint8Array): Promise<string | undefined> {
  if (hasPdfSignature(opening)) return PDF
  if (opening[0] === 0x50 && opening[1] === 0x4b && opening[2] === 3 && opening[3] === 4)
    return detectZipType(bytes)
  try {
    const type = await fileTypeFromBuffer(opening)
    return type?.mime === 'application/x-cfb' ? 'application/msword' : type?.mime
  } catch {
    // A valid signature with broken content.
    return undefined
  }
}

/** PDF readers accept some bytes before the signature. */
const hasPdfSignature = (opening: Uint8Array) =>
  Buffer.from(opening.buffer, opening.byteOffset, Math.min(opening.length, 1_024)).includes('%PDF-')

function detectTextType(text: string, named: string | undefined): string {
  if (named === 'text/plain') return named
  const words = text.trimStart()
  if (/^(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)[\s>]/i.test(words)) return 'text/html'
  if (/^WEBVTT\s/.test(words)) return 'text/vtt'
  if (/^\d{1,9}\r?\n\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}\s+-->/.test(words)) return 'application/x-subrip'
  return 'text/plain'
}

/** The opening may end inside a character. */
function dropPartialCharacter(opening: Uint8Array): Uint8Array {
  if (opening.length < OPENING_BYTES) return opening
  let end = opening.length
  while (end > OPENING_BYTES - 4 && ((opening[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1
  return opening.subarray(0, (opening[end - 1] ?? 0) >= 0xc0 ? end - 1 : opening.length)
}
