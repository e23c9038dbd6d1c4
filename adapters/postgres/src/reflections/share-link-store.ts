import { PlatformError, type SessionId, type ShareLink } from '@parley/contracts'
import type { LinkUsage, ShareLinkStore } from '@parley/reflections'
import { RECORD_ACTION } from '../knowledge/audit.ts'
import { type StoreHost, createId, requireReflection } from '../knowledge/store-host.ts'
import { listRecords, findRecord } from '../records.ts'
import { statement } from '../statement.ts'
import { whereValid } from '../tokens/token-store.ts'

/** Share links, through the login of `parley_serving`. Only the hash of a token is stored. */
export function postgresShareLinkStore({
  run,
  transact,
}: Pick<StoreHost, 'run' | 'transact'>): ShareLinkStore {
  return {
    create: ({ reflectionId, tokenHash, namespaces, maxUses, expiresAt }, by) =>
      transact(async (execute) => {
        const id = createId('lnk_')
        const names = namespaces ? [...new Set(namespaces)] : null
        const values = [id, reflectionId, Buffer.from(tokenHash), names, maxUses, expiresAt, by]
        const created = await requireReflection(listRecords<ShareLink>(execute(CREATE, values)), reflectionId)
        const unknown = names?.filter((name) => !created.namespaces?.includes(name)) ?? []
        if (unknown.length > 0) throw createUnknownNamespacesError(unknown)
        await execute(RECORD_ACTION, [reflectionId, by, 'shared', id])
        return created
      }),

    list: (reflectionId) => listRecords(run(LIST, [reflectionId])),

    revoke: (reflectionId, linkId, by) =>
      transact(async (execute) => {
        const [revoked] = await execute<{ is_new: boolean }>(REVOKE, [reflectionId, linkId])
        if (!revoked) return undefined
        const visits = await execute<{ session_id: SessionId }>(END_VISITS, [linkId])
        if (revoked.is_new) await execute(RECORD_ACTION, [reflectionId, by, 'share_revoked', linkId])
        return visits.map((row) => row.session_id)
      }),

    find: (linkId, signal) => findRecord(run(FIND, [linkId], signal)),
    findUsable: (tokenHash, signal) => findRecord(run(FIND_BY_TOKEN, [Buffer.from(tokenHash)], signal)),

    findVisitorSession: (sessionId) => findRecord(run(OF_SESSION, [sessionId])),

    async readUsage(linkId, { since, activeSince }, signal) {
      const [usage] = await run<LinkUsage>(USAGE, [linkId, since, activeSince], signal)
      return usage ?? { started: 0, active: 0, microcents: 0 }
    },
  }
}

const createUnknownNamespacesError = (names: readonly string[]) =>
  new PlatformError('validation', {
    message: `namespaces: this reflection has no ${names.join(', ')}. Add it first, or leave it out.`,
  })

const COLUMNS = `l.id, l.reflection_id, l.max_uses, l.uses, l.expires_at, l.revoked_at, l.created_at,
  case when l.namespace_ids is not null then array(
    select n.name from namespaces n where n.id = any(l.namespace_ids) order by n.name
  ) end as namespaces,
  array(
    select n.name from namespaces n
    where n.reflection_id = l.reflection_id and n.is_published
      and (l.namespace_ids is null or n.id = any(l.namespace_ids))
    order by n.name
  ) as reaches`

/** The rule of `keepsSessionsOpen` in `@parley/reflections`; a test compares them. */
export const KEEPS_SESSIONS_OPEN = whereValid('l')

/** The state `active` of `getShareLinkState`, of a reflection that is not removed. */
export const IS_LINK_USABLE = `${KEEPS_SESSIONS_OPEN}
  and (l.max_uses is null or l.uses < l.max_uses)
  and exists (select from reflections r where r.id = l.reflection_id and r.removed_at is null)`

const CREATE = statement(`with l as (
    insert into share_links (id, reflection_id, token_hash, namespace_ids, max_uses, expires_at, created_by)
    select $1, r.id, $3, case when $4::text[] is not null then array(
      select n.id from namespaces n where n.reflection_id = r.id and n.name = any($4)
    ) end, $5, $6, $7
    from reflections r where r.id = $2 and r.removed_at is null
    returning *
  )
  select ${COLUMNS} from l`)

const LIST = statement(`
  select ${COLUMNS} from share_links l where l.reflection_id = $1 order by l.created_at desc, l.id desc`)

const REVOKE = statement(`update share_links l set revoked_at = coalesce(l.revoked_at, now())
  from (select id, revoked_at from share_links where reflection_id = $1 and id = $2 for update) as before
  where l.id = before.id
  returning before.revoked_at is null as is_new`)

const END_VISITS = statement(`with visits as (
    select session_id from reflection_sessions where share_link_id = $1 and status in ('starting', 'active')
  ), closed as (
    delete from public_scopes p using visits where p.session_id = visits.session_id
  )
  select session_id from visits`)

const FIND = statement(`select ${COLUMNS} from share_links l where l.id = $1`)

const FIND_BY_TOKEN = statement(
  `select ${COLUMNS} from share_links l where l.token_hash = $1 and ${IS_LINK_USABLE}`,
)

const MICROCENTS = `(select sum((cost.value ->> 'microcents')::bigint) from json_each(a.costs) as cost)`

const OF_SESSION =
  statement(`select s.share_link_id as link_id, coalesce(${MICROCENTS}, 0)::float8 as microcents
  from reflection_sessions s left join agent_sessions a on a.id = s.session_id
  where s.session_id = $1 and s.share_link_id is not null`)

// A session that began earlier and continued counts in full, since the times of its costs are not known.
const USAGE = statement(`
  select (count(*) filter (where s.created_at >= $2::timestamptz and s.status <> 'failed')
      + coalesce(sum(s.reconnects) filter (where s.bound_at >= $2::timestamptz), 0))::float8 as started,
    count(*) filter (
      where s.status = 'active' and greatest(s.created_at, a.updated_at) >= $3::timestamptz
    )::float8 as active,
    coalesce(
      sum(${MICROCENTS}) filter (where greatest(s.created_at, a.updated_at) >= $2::timestamptz), 0
    )::float8 as microcents
  from reflection_sessions s left join agent_sessions a on a.id = s.session_id
  where s.share_link_id = $1`)
