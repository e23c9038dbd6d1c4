import { randomBytes } from 'node:crypto'
import type { ProviderStore, StoredDocument } from '@parley/postgres'
import { seconds } from './rest/rest-env.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** An id as the vendor's look: what it is of, and 26 letters and digits that nobody guesses. */
export function newId(prefix: string): string {
  const letters = Array.from(randomBytes(26), (byte) => ALPHABET[byte % ALPHABET.length])
  return `${prefix}_${letters.join('')}`
}

/** All documents of a kind, a page at a time. */
export async function* allDocuments(
  documents: ProviderStore['documents'],
  kind: string,
): AsyncGenerator<StoredDocument> {
  let cursor: string | undefined
  do {
    const page = await documents.list(kind, { limit: 100, ...(cursor !== undefined && { cursor }) })
    yield* page.items
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

/** What names this id anywhere in it, as the vendor lists what depends on a thing. */
export async function dependantsOf(
  documents: ProviderStore['documents'],
  kind: 'agent' | 'tool',
  id: string,
) {
  const named = JSON.stringify(id)
  const found = []
  for await (const document of allDocuments(documents, kind)) {
    if (JSON.stringify(document.body).includes(named)) found.push(identify(document, nameOf(document)))
  }
  return found
}

const identify = ({ id, createdAt }: StoredDocument, name: string) => ({
  type: 'available',
  id,
  name,
  created_at_unix_secs: seconds(createdAt),
  access_level: 'admin',
})

const nameOf = ({ id, body }: StoredDocument): string =>
  typeof body['name'] === 'string' ? body['name'] : id
