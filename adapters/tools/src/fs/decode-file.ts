/** A file's text encoding. */
export type FileEncoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be'

export type DecodedFile =
  /** Lossy: some bytes are not UTF-8 and became U+FFFD. */
  | {
      readonly kind: 'text'
      readonly text: string
      readonly encoding: FileEncoding
      readonly isLossy: boolean
    }
  | { readonly kind: 'binary' }

/** Decodes a file; a byte order mark becomes part of its encoding. */
export function decodeFile(bytes: Uint8Array): DecodedFile {
  const encoding = detectEncoding(bytes)
  const body = bytes.subarray(BYTE_ORDER_MARKS[encoding].length)
  if (encoding.startsWith('utf-8') && body.includes(0)) return { kind: 'binary' }
  const label = encoding === 'utf-8-bom' ? 'utf-8' : encoding
  const text = new TextDecoder(label, { ignoreBOM: true }).decode(body)
  if (!encoding.startsWith('utf-8') && text.includes('\0')) return { kind: 'binary' }
  const isLossy = text.includes('\u{FFFD}') && !areSameBytes(encodeFile(text, encoding), bytes)
  return isLossy && isMostlyLost(text) ? { kind: 'binary' } : { kind: 'text', text, encoding, isLossy }
}

export function encodeFile(text: string, encoding: FileEncoding): Uint8Array {
  const mark = Buffer.from(BYTE_ORDER_MARKS[encoding])
  if (encoding === 'utf-8' || encoding === 'utf-8-bom')
    return Buffer.concat([mark, Buffer.from(text, 'utf8')])
  const little = Buffer.from(text.toWellFormed(), 'utf16le')
  return Buffer.concat([mark, encoding === 'utf-16be' ? little.swap16() : little])
}

const BYTE_ORDER_MARKS: Readonly<Record<FileEncoding, readonly number[]>> = {
  'utf-8': [],
  'utf-8-bom': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
}

const detectEncoding = (bytes: Uint8Array): FileEncoding =>
  (['utf-8-bom', 'utf-16le', 'utf-16be'] as const).find((encoding) =>
    BYTE_ORDER_MARKS[encoding].every((byte, at) => bytes[at] === byte),
  ) ?? 'utf-8'

const areSameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

/** Text in a legacy encoding has few invalid bytes. */
function isMostlyLost(text: string): boolean {
  const lost = text.split('\u{FFFD}').length - 1
  return lost * 3 > text.length
}
