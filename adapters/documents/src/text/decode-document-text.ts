const UTF_8 = new TextDecoder('utf-8')
const STRICT_UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes text in any encoding; undefined if the bytes are not text. */
export function decodeDocumentText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decodeUtf16(bytes, 'utf-16le')
  if (first === 0xfe && second === 0xff) return decodeUtf16(bytes, 'utf-16be')
  if (bytes.includes(0)) return undefined

  const strict = decodeStrictUtf8(bytes)
  if (strict !== undefined) return hasFewControls(strict) ? strict : undefined
  const text = isDamagedUtf8(bytes) ? UTF_8.decode(bytes) : decodeLegacyText(bytes)
  return hasFewControls(text) ? text : undefined
}

function decodeUtf16(bytes: Uint8Array, encoding: string): string | undefined {
  const text = new TextDecoder(encoding).decode(bytes)
  return text.includes('\0') || !hasFewControls(text) ? undefined : text
}

function decodeStrictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return STRICT_UTF_8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether most non-ASCII bytes are valid UTF-8, so only the invalid ones are replaced. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  let good = 0
  let lone = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) continue
    const more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0
    let follow = 0
    while (follow < more && ((bytes[at + 1 + follow] ?? 0) & 0xc0) === 0x80) follow += 1
    if (more > 0 && follow === more) good += 1
    else lone += 1
    at += follow
  }
  return good > lone
}

/** The declared encoding of the page, or Windows-1252, in which almost every byte is a letter. */
function decodeLegacyText(bytes: Uint8Array): string {
  const opening = new TextDecoder('latin1').decode(bytes.subarray(0, 1_024))
  const declared = /<meta\s[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(opening)?.[1]
  try {
    if (declared && !/^utf-?(8|16)/i.test(declared)) return new TextDecoder(declared).decode(bytes)
  } catch {
    // An unknown encoding.
  }
  return new TextDecoder('windows-1252')
    .decode(bytes)
    .replaceAll(/[\u0081\u008d\u008f\u0090\u009d]/g, '\ufffd')
}

/** Text has few control characters; binary data has about one in ten. */
function hasFewControls(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  const controls = text.slice(0, 100_000).match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g)
  return (controls?.length ?? 0) * 20 <= Math.min(text.length, 100_000) + 20
}

// Control characters, direction marks and other invisible characters. Joiners stay, since scripts and emoji need them.
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

const PLAIN = /^[\t\n -~]*$/

/** Normalises text: composed letters, line feeds, nothing invisible. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(INVISIBLE, '')
    .normalize('NFC')
}
