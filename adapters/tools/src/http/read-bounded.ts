export type Bounded = { readonly kind: 'read'; readonly bytes: Uint8Array } | { readonly kind: 'too-large' }

/** The body of an answer, decompressed; it is read no further once it is too large. */
export async function readBounded({ body }: Response, most: number): Promise<Bounded> {
  if (!body) return { kind: 'read', bytes: new Uint8Array() }
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early ends the connection.
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > most) return { kind: 'too-large' }
    chunks.push(chunk)
  }
  return { kind: 'read', bytes: Buffer.concat(chunks) }
}
