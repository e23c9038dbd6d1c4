import { type PageQuery, type PersonId, type ReflectionId } from '@parley/contracts'
import type { AuditEntry, ResultPage } from '@parley/knowledge'
import { type Run, ignoreRows } from '../run-statements.ts'
import { parseNumberPage, toPage } from '../pages.ts'
import { type RowOf, toRecord } from '../records.ts'
import { statement } from '../statement.ts'

/** The audit log of the whole server: sessions, tokens and reflections, also removed ones. */
export interface ServerAudit {
  /** Records an action, also in the log of a reflection if it concerns one. */
  record(who: PersonId, what: string, target: string, reflectionId?: ReflectionId): Promise<void>
  /** Latest first. */
  read(page: PageQuery): Promise<ResultPage<ServerAuditEntry>>
}

export interface ServerAuditEntry extends AuditEntry {
  readonly reflectionId?: ReflectionId
}

export const postgresServerAudit = (run: Run): ServerAudit => ({
  record: (who, what, target, reflectionId) =>
    ignoreRows(run(RECORD_ACTION, [reflectionId, who, what, target])),

  async read(page) {
    const rows = await run<AuditRow>(READ_ALL, parseNumberPage(page, NUMBER_DIGITS))
    return toPage(page, rows, toEntry, ({ id }) => id)
  },
})

/** The audit log of a reflection, latest first. */
export async function readReflectionAudit(
  run: Run,
  reflectionId: ReflectionId,
  page: PageQuery,
): Promise<ResultPage<AuditEntry>> {
  const rows = await run<AuditRow>(READ, [...parseNumberPage(page, NUMBER_DIGITS), reflectionId])
  return toPage(page, rows, toEntry, ({ id }) => id)
}

/** Fits into a bigint. */
const NUMBER_DIGITS = 18

type AuditRow = RowOf<ServerAuditEntry> & { readonly id: string }

const toEntry = ({ id: _id, ...row }: AuditRow) => toRecord<ServerAuditEntry>(row)

export const RECORD_ACTION = statement(
  'insert into audit_log (reflection_id, who, what, target) values ($1, $2, $3, $4)',
)

// Ordered by number: as text, 9 comes after 10.
const selectEntries = (
  columns: string,
  which: string,
) => `select a.id::text, ${columns}a.who, a.what, a.target, a.at from audit_log a
  where ${which}($2::bigint is null or a.id < $2::bigint) order by a.id desc limit $1`

const READ = statement(selectEntries('', 'a.reflection_id = $3 and '))
const READ_ALL = statement(selectEntries('a.reflection_id, ', ''))
