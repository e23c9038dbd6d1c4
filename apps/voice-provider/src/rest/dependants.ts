import type { ProviderStore, StoredDocument } from '@parley/postgres'
import { allDocuments } from '../store-glue/all-documents.ts'
import { seconds } from './access-info.ts'

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
