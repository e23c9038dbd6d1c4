import { decryptForRow, encryptForRow } from '../encryption.ts'
import { type Run, type Transact, findFirst } from '../run-statements.ts'
import { toKeyCursor, parseKeyCursor, toPage } from '../pages.ts'
import type { DocumentPage, DocumentStore, StoredDocument } from './provider-store.ts'
import { type RowOf, toRecord } from '../records.ts'
import { statement } from '../statement.ts'

export interface DocumentsHost {
  readonly run: Run
  readonly transact: Transact
  readonly sealingKey: Buffer
}

export function postgresDocuments({ run, transact, sealingKey }: DocumentsHost): DocumentStore {
  return {
    async put(kind, { id, parentId, body, secret }) {
      const sealed = secret === undefined ? null : encryptForRow(sealingKey, toRowName(kind, id), secret)
      const [row] = await run<DocumentRow>(PUT, [kind, id, parentId, JSON.stringify(body), sealed])
      return toDocument(row as DocumentRow)
    },

    get: (kind, id) => findFirst(run<DocumentRow>(GET, [kind, id]), toDocument),

    change: (kind, id, change) =>
      transact(async (execute) => {
        const [row] = await execute<DocumentRow>(LOCK, [kind, id])
        if (!row) return undefined
        const body = change(row.body)
        if (!body) return undefined
        const [changed] = await execute<DocumentRow>(CHANGE, [kind, id, JSON.stringify(body)])
        return toDocument(changed as DocumentRow)
      }),

    async list(kind, page) {
      const [key, id] = page.cursor === undefined ? [null, null] : parseKeyCursor(page.cursor)
      const rows = await run<ListedDocumentRow>(buildListStatement(page), [
        kind,
        page.limit + 1,
        key,
        id,
        page.parentId,
        page.search,
        JSON.stringify(page.contains),
      ])
      const toListedDocument = ({ sort_key: _key, ...row }: ListedDocumentRow) => toDocument(row)
      return toPage(page, rows, toListedDocument, (last) => toKeyCursor(last.sort_key, last.id))
    },

    async remove(kind, id) {
      const removed = await run<{ kind: string; id: string }>(REMOVE, [kind, id])
      return removed.some((row) => row.kind === kind && row.id === id)
    },

    async readSecret(kind, id) {
      const [row] = await run<{ sealed: Buffer | null }>(SECRET, [kind, id])
      return row?.sealed ? decryptForRow(sealingKey, toRowName(kind, id), row.sealed) : undefined
    },
  }
}

const toRowName = (kind: string, id: string) => `${kind} ${id}`

type DocumentFields = Omit<StoredDocument, 'createdAt' | 'updatedAt'>
type DocumentRow = RowOf<DocumentFields> & { readonly created_at: Date; readonly updated_at: Date }
type ListedDocumentRow = DocumentRow & { readonly sort_key: string }

const toDocument = ({ created_at, updated_at, ...row }: DocumentRow): StoredDocument => ({
  ...toRecord<DocumentFields>(row),
  createdAt: created_at,
  updatedAt: updated_at,
})

const COLUMNS = 'id, parent_id, body, created_at, updated_at'

const PUT = statement(`
  insert into provider.documents (kind, id, parent_id, body, sealed) values ($1, $2, $3, $4, $5)
  on conflict (kind, id) do update set body = excluded.body, updated_at = clock_timestamp(),
    sealed = coalesce(excluded.sealed, documents.sealed)
  returning ${COLUMNS}`)

const GET = statement(`select ${COLUMNS} from provider.documents where kind = $1 and id = $2`)

const LOCK = statement(`${GET.text} for update`)

const CHANGE = statement(`update provider.documents set body = $3, updated_at = clock_timestamp()
  where kind = $1 and id = $2 returning ${COLUMNS}`)

const REMOVE = statement(`
  delete from provider.documents where (kind = $1 and id = $2) or parent_id = $2 returning kind, id`)

const SECRET = statement('select sealed from provider.documents where kind = $1 and id = $2')

const SORT_KEYS: Readonly<Record<NonNullable<DocumentPage['sortBy']>, string>> = {
  created_at: `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS')`,
  name: `coalesce(body->>'name', '') collate "C"`,
}

function buildListStatement({ sortBy = 'created_at', direction = 'desc' }: DocumentPage) {
  const sortKey = SORT_KEYS[sortBy]
  const beyond = direction === 'asc' ? '>' : '<'
  return statement(`select * from (select ${COLUMNS}, ${sortKey} as sort_key from provider.documents
      where kind = $1 and ($5::text is null or parent_id = $5)
        and ($6::text is null or position(lower($6) in lower(body->>'name')) > 0)
        and ($7::jsonb is null or body::jsonb @> $7)) as listed
    where $3::text is null or (sort_key, id) ${beyond} ($3 collate "C", $4)
    order by sort_key ${direction}, id ${direction} limit $2`)
}
