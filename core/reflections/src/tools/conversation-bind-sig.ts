/** HMAC-SHA256 of a text under a secret, in hex. */
type Hmac = (secret: string, text: string) => string

/** Proves only that this server issued the conversation id. Everybody in the conversation has the signature. */
export const computeConversationBindSig = (conversationId: string, secret: string, hmac: Hmac): string =>
  hmac(secret, conversationId)

/** Tries the current secret and the previous ones. */
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
    // Compares hashes of the signatures, which all have one length.
    matches |= areEqual(hmac(secret, `signature ${signature}`), hmac(secret, `signature ${wanted}`)) ? 1 : 0
  }
  return matches === 1
}

/** Takes the same time wherever the first difference is. */
function areEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let index = 0; index < one.length; index += 1)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}

/** The secret to sign with, then the previous ones that are still accepted. */
export const configuredBindingVerificationSecrets = (current: string, previous: string): readonly string[] =>
  [current, ...previous.split(',')].map((secret) => secret.trim()).filter((secret) => secret !== '')
