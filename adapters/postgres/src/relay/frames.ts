import { hkdfSync } from 'node:crypto'
import { NONCE_BYTES, decrypt, encrypt } from '../encryption.ts'

/** A notice has fewer than 8,000 bytes, and is written in base64. */
const PIECE_BYTES = 5_700

/** The longest text of one sender; longer ones are dropped. */
const MAX_TEXT_BYTES = 16_000_000

const PREFIX = 'events'
const FIRST = 1
const LAST = 2

/** Splits a text into encrypted notices. */
export function createFrameWriter(secret: Buffer, sender: string) {
  const seal = createSealer(secret, sender)
  return (text: string): readonly string[] => {
    const bytes = Buffer.from(text)
    const notices: string[] = []
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const mark = (at === 0 ? FIRST : 0) | (at + PIECE_BYTES < bytes.length ? 0 : LAST)
      const piece = Buffer.concat([Buffer.of(mark), bytes.subarray(at, at + PIECE_BYTES)])
      const { counter, sealed } = seal(piece)
      notices.push(`${PREFIX} ${sender} ${counter} ${sealed}`)
    }
    return notices
  }
}

/** Reads the notices of one sender; returns a text with its last piece. Undefined for notices of others. */
export function createFrameReader(secret: Buffer, sender: string) {
  const openMessage = createOpener(secret, sender)
  let pieces: Buffer[] = []
  let bytes = 0
  let next = 0
  return ({ counter, sealed }: SealedNotice): { readonly text?: string } | undefined => {
    const opened = openMessage(counter, sealed)
    if (!opened) return undefined
    const mark = opened[0] ?? 0
    if (mark & FIRST) {
      pieces = []
      bytes = 0
    } else if (counter !== next || bytes > MAX_TEXT_BYTES) return {}
    pieces.push(opened.subarray(1))
    bytes += opened.length
    next = counter + 1
    return mark & LAST ? { text: Buffer.concat(pieces.splice(0)).toString() } : {}
  }
}

export interface SealedNotice {
  readonly sender: string
  readonly counter: number
  readonly sealed: string
}

/** Undefined for other notices: others use the channel too, and every login can send anything. */
export function parseNotice(notice: string): SealedNotice | undefined {
  const [prefix, sender, counter, sealed] = notice.split(' ', 5)
  if (prefix !== PREFIX || !sender || !counter || !sealed) return undefined
  return { sender, counter: Number(counter), sealed }
}

/**
 * Every login can read and send notices. So our processes encrypt their messages, with a key derived from their common
 * secret and the sender's name; each message is accepted once.
 */
export function createSealer(secret: Buffer, sender: string) {
  const key = deriveSenderKey(secret, sender)
  let counter = 0
  return (bytes: Buffer): { counter: number; sealed: string } => {
    counter += 1
    return { counter, sealed: encrypt(key, toNonce(counter), bytes).toString('base64') }
  }
}

/** Decrypts the messages of one sender; undefined for others, and for messages not newer than the last one. */
export function createOpener(secret: Buffer, sender: string) {
  const key = deriveSenderKey(secret, sender)
  let last = 0
  return (counter: number, sealed: string): Buffer | undefined => {
    if (!Number.isSafeInteger(counter) || counter <= last) return undefined
    const opened = decrypt(key, toNonce(counter), Buffer.from(sealed, 'base64'))
    if (!opened || opened.length === 0) return undefined
    last = counter
    return opened
  }
}

/** Change it when the format changes. */
const PURPOSE = 'parley relay 1'

const deriveSenderKey = (secret: Buffer, sender: string) =>
  Buffer.from(hkdfSync('sha256', secret, sender, PURPOSE, 32))

/** Each key is used by one process, so a counter never repeats a nonce. */
function toNonce(counter: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeBigUInt64BE(BigInt(counter), 4)
  return nonce
}
