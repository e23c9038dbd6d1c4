/** HMAC-SHA256 of a text under a secret, in hex. */
type Hmac = (secret: string, text: string) => string

/** Proves that a call's conversation id is one that we gave out. It proves nothing else: everybody in it holds it. */
export const computeConversationBindSig = (conversationId: string, secret: string, hmac: Hmac): string =>
  hmac(secret, conversationId)

/** The current secret and those before it: whichever it was signed with, all are tried. */
export function verifyConversationBindSig(
  conversationId: string,
  signature: string,
  secrets: readonly string[],
  hmac: Hmac,
): boolean {
  let matches = 0
  for (const secret of secrets) {
    if (secret === '') continue
    const wanted = computeConversationBindSig(conversationId, secret, hmac)
    // Compared as their own hashes, which are of one length whatever was sent.
    matches |= areEqual(hmac(secret, `signature ${signature}`), hmac(secret, `signature ${wanted}`)) ? 1 : 0
  }
  return matches === 1
}

/** Looks at every character, wherever the first difference is. */
function areEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let index = 0; index < one.length; index += 1)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}

/** The secret to sign with first, then those that are still good. */
export const configuredBindingVerificationSecrets = (current: string, previous: string): readonly string[] =>
  [current, ...previous.split(',')].map((secret) => secret.trim()).filter((secret) => secret !== '')
