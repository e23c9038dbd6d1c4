import { randomBytes } from 'node:crypto'
import type { ProviderStore, StoredDocument } from '@parley/postgres'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** An id in the vendor's format: a prefix and 26 random letters and digits. */
export function createId(prefix: string): string {
  const letters = Array.from(randomBytes(26), (byte) => ALPHABET[byte % ALPHABET.length])
  return `${prefix}_${letters.join('')}`
}

/** All documents of a kind, read page by page. */
export async function* iterateDocuments(
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

/** Documents that mention this id, in the vendor's list format. */
export async function findDependants(
  documents: ProviderStore['documents'],
  kind: 'agent' | 'tool',
  id: string,
) {
  const named = JSON.stringify(id)
  const found = []
  for await (const document of iterateDocuments(documents, kind)) {
    if (JSON.stringify(document.body).includes(named))
      found.push(toDependant(document, getDocumentName(document)))
  }
  return found
}

const toDependant = ({ id, createdAt }: StoredDocument, name: string) => ({
  type: 'available',
  id,
  name,
  created_at_unix_secs: toUnixSeconds(createdAt),
  access_level: 'admin',
})

const getDocumentName = ({ id, body }: StoredDocument): string =>
  typeof body['name'] === 'string' ? body['name'] : id

/** Converts a date or milliseconds to Unix seconds. */
export const toUnixSeconds = (time: Date | number): number => Math.floor(Number(time) / 1_000)
