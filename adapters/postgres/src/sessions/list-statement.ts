import { type Role } from '@parley/contracts'
import type { SessionQuery } from '@parley/engine'
import { type SqlStatement, statement } from '../statement.ts'
import { whereValid } from '../tokens/token-store.ts'
import { SESSION } from './statements.ts'
import { parseTimePage } from '../pages.ts'

/** Placeholders in the searched text for a backslash, and for characters that JSON can only write as an escape. */
const BACKSLASH_SIGN = '\ue000'
const ESCAPE_SIGN = '\ue001'

/** The words as JSON, and with the placeholders of the searched text. */
function toSearchedWords(search: string): { readonly asJson: string; readonly words: string } {
  const json = JSON.stringify(search)
  const readable = json.replaceAll('\\\\', BACKSLASH_SIGN).replaceAll(/\\u[0-9a-f]{4}/g, ESCAPE_SIGN)
  return { asJson: json.slice(1, -1), words: String(JSON.parse(readable)) }
}

/** The statement for a list of sessions with limit + 1 rows, and its values. One statement per set of conditions. */
export function buildSessionList(query: SessionQuery): readonly [SqlStatement, readonly unknown[]] {
  const values: unknown[] = [...parseTimePage(query)]
  const conditions = CONDITIONS.flatMap(({ toValues: valuesOf, where }) => {
    const parameters = valuesOf(query)
    if (parameters === undefined) return []
    const places = parameters.map((value) => `$${values.push(value)}`)
    return [where(...places)]
  })
  // No index on the time: sorting thousands of short rows takes less time than an index would cost every turn.
  const text = `select ${SESSION} from agent_sessions where id in (
      select id from agent_sessions
      where ${['(updated_at, id) < ($2, $3)', ...conditions].join(' and ')}
      order by updated_at desc, id desc limit $1
    ) order by updated_at desc, id desc`
  return [statement(text), values]
}

interface Condition {
  /** Undefined without this condition. */
  readonly toValues: (query: SessionQuery) => readonly unknown[] | undefined
  readonly where: (...places: readonly string[]) => string
}

const toOptionalValues = (value: unknown): readonly unknown[] | undefined =>
  value === undefined ? undefined : [value]

// Cheap conditions first, so that few sessions are searched for words.
const CONDITIONS: readonly Condition[] = [
  { toValues: ({ ownerId }) => toOptionalValues(ownerId), where: (owner) => `owner_id = ${owner}` },
  { toValues: ({ channel }) => toOptionalValues(channel), where: (channel) => `channel = ${channel}` },
  { toValues: ({ status }) => toOptionalValues(status), where: (status) => `status = ${status}` },
  {
    toValues: ({ turn }) => (turn === undefined ? undefined : []),
    where: () => 'lease_turn_id is not null and turn_waits',
  },
  {
    toValues: ({ reflectionId }) => toOptionalValues(reflectionId),
    where: (reflection) =>
      `id in (select session_id from reflection_sessions where reflection_id = ${reflection})`,
  },
  { toValues: ({ reader }) => toOptionalValues(reader), where: (reader) => canRead(reader ?? '') },
  {
    toValues: ({ search }) => {
      if (search === undefined) return undefined
      const { asJson, words } = toSearchedWords(search)
      return [asJson, words]
    },
    where: (asJson, words) => containsWords(asJson ?? '', words ?? ''),
  },
]

const hasServerRole = (reader: string, roles: readonly Role[]) => `exists (
  select from tokens where person_id = ${reader} and role in (${roles.map((role) => `'${role}'`).join(', ')})
    and ${whereValid('tokens')}
)`

/** An owner or admin of the reflection `r`. */
export const managesReflection = (reader: string) => `exists (
  select from reflection_members m
  where m.reflection_id = r.id and m.person_id = ${reader} and m.role in ('owner', 'admin')
)`

/** The same, or the server's owner. */
export const isReflectionAdmin = (reader: string) =>
  `(${managesReflection(reader)} or ${hasServerRole(reader, ['owner'])})`

/** The rule for reading of `mayEnter` in `@parley/reflections`; a test compares them. */
const canRead = (reader: string) => `(
  (
    not exists (select from reflection_sessions s where s.session_id = agent_sessions.id)
    and (owner_id = ${reader} or ${hasServerRole(reader, ['owner', 'admin'])})
  )
  or exists (
    select from reflection_sessions s join reflections r on r.id = s.reflection_id and r.removed_at is null
    where s.session_id = agent_sessions.id and (
      ${isReflectionAdmin(reader)}
      or exists (
        select from reflection_members m
        where m.reflection_id = r.id and m.person_id = ${reader} and agent_sessions.owner_id = ${reader}
      )
    )
  )
)`

// This collation folds the case of all letters, whatever the collation of the database.
const foldCase = (text: string) => `lower(${text} collate "pg_c_utf8")`

const READABLE_CONTENT = String.raw`regexp_replace(replace(content::text, '\\', '${BACKSLASH_SIGN}'), '\\u[0-9a-f]{4}', '${ESCAPE_SIGN}', 'g')`

/**
 * JSON may contain U+0000 and lone surrogates, which text may not, so placeholders replace them before the JSON is parsed;
 * `words` has the same placeholders. `asJson` is the JSON of the words without quotes, which quickly excludes most
 * messages.
 */
const containsWords = (asJson: string, words: string) => `(
  position(${foldCase(`${words}::text`)} in ${foldCase(`replace(coalesce(title, ''), '\\', '${BACKSLASH_SIGN}')`)}) > 0
  or exists (
    select from session_messages where session_id = agent_sessions.id
      and case when position(${foldCase(`${asJson}::text`)} in ${foldCase('content::text')}) > 0 then exists (
        select from json_array_elements(${READABLE_CONTENT}::json) as part,
          unnest(array[part ->> 'text', part -> 'outcome' ->> 'text']) as texts
        where position(${foldCase(`${words}::text`)} in ${foldCase('texts')}) > 0
      ) end
  )
)`
