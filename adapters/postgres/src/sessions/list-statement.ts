import { PlatformError, type Role } from '@parley/contracts'
import type { AgentSessionRecord, SessionQuery } from '@parley/engine'
import type { Statement } from '../run-statements.ts'
import { SESSION } from './statements.ts'

/** Signs of no meaning, which stand in what is searched for a backslash, and for what JSON can only write as an escape. */
const BACKSLASH_SIGN = '\ue000'
const ESCAPE_SIGN = '\ue001'

/** The words as JSON, and as they stand in what is searched. */
function searchedWords(search: string): { readonly asJson: string; readonly words: string } {
  const json = JSON.stringify(search)
  const readable = json.replaceAll('\\\\', BACKSLASH_SIGN).replaceAll(/\\u[0-9a-f]{4}/g, ESCAPE_SIGN)
  return { asJson: json.slice(1, -1), words: String(JSON.parse(readable)) }
}

/** The statement for a list of sessions, one more than are wanted, and its values. One for each set of conditions. */
export function listStatement(query: SessionQuery): readonly [Statement, readonly unknown[]] {
  const { limit, cursor } = query
  const values: unknown[] = [limit + 1, ...(cursor === undefined ? FIRST_PAGE : readCursor(cursor))]
  const asked = CONDITIONS.flatMap(({ name, valuesOf, where }) => {
    const given = valuesOf(query)
    if (given === undefined) return []
    const places = given.map((value) => `$${values.push(value)}`)
    return [{ name, where: where(...places) }]
  })
  return [
    {
      name: ['list_sessions', ...asked.map(({ name }) => name)].join('_'),
      // No index on the time: thousands of short rows are sorted in less time than an index would cost every turn.
      text: `select ${SESSION} from agent_sessions where id in (
         select id from agent_sessions
         where ${['(updated_at, id) < ($2, $3)', ...asked.map(({ where }) => where)].join(' and ')}
         order by updated_at desc, id desc limit $1
       ) order by updated_at desc, id desc`,
    },
    values,
  ]
}

interface Condition {
  readonly name: string
  /** Undefined where the condition is not asked for. */
  readonly valuesOf: (query: SessionQuery) => readonly unknown[] | undefined
  readonly where: (...places: readonly string[]) => string
}

const given = (value: unknown): readonly unknown[] | undefined => (value === undefined ? undefined : [value])

// What is quick to say no comes first: the words are looked for in what is left.
const CONDITIONS: readonly Condition[] = [
  { name: 'owner', valuesOf: ({ ownerId }) => given(ownerId), where: (owner) => `owner_id = ${owner}` },
  { name: 'channel', valuesOf: ({ channel }) => given(channel), where: (channel) => `channel = ${channel}` },
  { name: 'status', valuesOf: ({ status }) => given(status), where: (status) => `status = ${status}` },
  {
    name: 'waiting',
    valuesOf: ({ turn }) => (turn === undefined ? undefined : []),
    where: () => 'lease_turn_id is not null and turn_waits',
  },
  {
    name: 'reflection',
    valuesOf: ({ reflectionId }) => given(reflectionId),
    where: (reflection) =>
      `id in (select session_id from reflection_sessions where reflection_id = ${reflection})`,
  },
  { name: 'reader', valuesOf: ({ reader }) => given(reader), where: (reader) => mayRead(reader ?? '') },
  {
    name: 'words',
    valuesOf: ({ search }) => {
      if (search === undefined) return undefined
      const { asJson, words } = searchedWords(search)
      return [asJson, words]
    },
    where: (asJson, words) => holdsWords(asJson ?? '', words ?? ''),
  },
]

const isOnServer = (reader: string, roles: readonly Role[]) => `exists (
  select from tokens where person_id = ${reader} and role in (${roles.map((role) => `'${role}'`).join(', ')})
    and revoked_at is null and (expires_at is null or expires_at > now())
)`

/** Of a reflection `r`: its owner and admins, and the server's owner. */
export const mayRunReflection = (reader: string) => `(
  exists (
    select from reflection_members m
    where m.reflection_id = r.id and m.person_id = ${reader} and m.role in ('owner', 'admin')
  )
  or ${isOnServer(reader, ['owner'])}
)`

/** As `sessionFor` decides for one session. */
const mayRead = (reader: string) => `(
  (
    not exists (select from reflection_sessions s where s.session_id = agent_sessions.id)
    and (owner_id = ${reader} or ${isOnServer(reader, ['owner', 'admin'])})
  )
  or exists (
    select from reflection_sessions s join reflections r on r.id = s.reflection_id and r.removed_at is null
    where s.session_id = agent_sessions.id and (
      ${mayRunReflection(reader)}
      or exists (
        select from reflection_members m
        where m.reflection_id = r.id and m.person_id = ${reader} and agent_sessions.owner_id = ${reader}
      )
    )
  )
)`

// The collation knows the cases of all letters, whatever the database was made with.
const folded = (text: string) => `lower(${text} collate "pg_c_utf8")`

const READABLE = String.raw`regexp_replace(replace(content::text, '\\', '${BACKSLASH_SIGN}'), '\\u[0-9a-f]{4}', '${ESCAPE_SIGN}', 'g')`

/**
 * JSON text may hold what text may not, U+0000 and lone surrogates, and JSON is read here as a person reads it only once
 * those are gone: `words` are the words with the same signs in their place. `asJson` is the JSON of the words without its
 * quotes, and soon says of most messages that they do not hold them.
 */
const holdsWords = (asJson: string, words: string) => `(
  position(${folded(`${words}::text`)} in ${folded(`replace(coalesce(title, ''), '\\', '${BACKSLASH_SIGN}')`)}) > 0
  or exists (
    select from session_messages where session_id = agent_sessions.id
      and case when position(${folded(`${asJson}::text`)} in ${folded('content::text')}) > 0 then exists (
        select from json_array_elements(${READABLE}::json) as part,
          unnest(array[part ->> 'text', part -> 'outcome' ->> 'text']) as texts
        where position(${folded(`${words}::text`)} in ${folded('texts')}) > 0
      ) end
  )
)`

/** Where a page of the list begins: after this time and id, both going down. */
type ListPlace = readonly [updatedAt: string, id: string]

const FIRST_PAGE: ListPlace = ['infinity', '']

export const placeAfter = ({ session }: AgentSessionRecord) => `${session.updatedAt} ${session.id}`

function readCursor(cursor: string): ListPlace {
  const [updatedAt = '', id = ''] = cursor.split(' ')
  if (PLACE.test(cursor) && !Number.isNaN(Date.parse(updatedAt))) return [updatedAt, id]
  throw new PlatformError('validation', {
    message: 'This cursor is none of ours. Leave it out to start at the first page.',
  })
}

const PLACE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ses_[a-z0-9]+$/
