import type { ProviderStore, StoredDocument } from '@parley/postgres'

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
