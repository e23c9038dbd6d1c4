import type { MessageId, SessionId, TurnId } from '@parley/contracts'

/** Creates unguessable ids. */
export interface IdSource {
  sessionId(): SessionId
  messageId(): MessageId
  turnId(): TurnId
}

/** `fill` fills bytes with random data, as `randomFillSync` does. */
export function createIdSource(fill: (bytes: Uint8Array) => unknown): IdSource {
  const suffix = createSuffixSource(fill)
  return {
    sessionId: () => `ses_${suffix()}` as SessionId,
    messageId: () => `msg_${suffix()}` as MessageId,
    turnId: () => `trn_${suffix()}` as TurnId,
  }
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 5 bits each: 100 bits. */
const CHARACTERS = 20

/** Random bytes are drawn for many ids at once: a draw costs more than the rest of an id. */
const DRAWN_AT_ONCE = 100 * CHARACTERS

function createSuffixSource(fill: (bytes: Uint8Array) => unknown): () => string {
  const drawn = new Uint8Array(DRAWN_AT_ONCE)
  let used = DRAWN_AT_ONCE
  return () => {
    if (used === DRAWN_AT_ONCE) {
      fill(drawn)
      used = 0
    }
    let suffix = ''
    for (const end = used + CHARACTERS; used < end; used += 1)
      suffix += ALPHABET.charAt((drawn[used] ?? 0) & 31)
    return suffix
  }
}
