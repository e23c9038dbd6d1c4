import type { ReflectionId, SessionId } from '@parley/contracts'
import type { EndedSessions } from '@parley/knowledge'
import { deriveCapability, computeSha256 } from '../hashes.ts'
import { type Run, ignoreRows } from '../run-statements.ts'
import { statement } from '../statement.ts'
import { requireReflection } from './store-host.ts'

export interface NewPublicScope {
  readonly sessionId: string
  readonly reflectionId: ReflectionId
  /** The namespaces that the session may ever see, by name; by default all published now. */
  readonly namespaces?: readonly string[]
}

/** The namespaces that public sessions may see. Only its capability opens a scope, and only the hash is stored. */
export interface PublicScopes {
  /** An existing scope keeps its namespaces. */
  create(scope: NewPublicScope, signal?: AbortSignal): Promise<Uint8Array>
  /** The same in every process; it opens nothing without a scope. */
  getCapability(sessionId: string): Uint8Array
  /** Removes the scope, so that its capability opens nothing. */
  end(sessionId: string): Promise<void>
}

export function postgresPublicScopes(run: Run, key: Buffer): PublicScopes {
  return {
    getCapability: (sessionId) => deriveCapability(key, sessionId),

    async create({ sessionId, reflectionId, namespaces }, signal) {
      const capability = deriveCapability(key, sessionId)
      const values = [sessionId, computeSha256(capability), reflectionId, namespaces ? [...namespaces] : null]
      await requireReflection(run(CREATE, values, signal), reflectionId)
      return capability
    },

    end: (sessionId) => ignoreRows(run(END, [sessionId])),
  }
}

const CREATE = statement(`
  insert into public_scopes (session_id, capability_hash, reflection_id, namespace_ids)
  select $1, $2, r.id, array(
    select n.id from namespaces n
    where n.reflection_id = r.id and n.is_published and ($4::text[] is null or n.name = any($4))
  )
  from reflections r where r.id = $3 and r.removed_at is null
  on conflict (session_id) do update set capability_hash = excluded.capability_hash
    where public_scopes.is_live and public_scopes.reflection_id = excluded.reflection_id
  returning session_id`)

const END = statement('delete from public_scopes where session_id = $1')

/**
 * Ends the public sessions and agent states that may contain unpublished content, while the reflection is locked. With
 * `unpublished`, typed sessions of other namespaces continue. The caller then asks for a rebuild.
 */
export async function endPublicSessions(
  execute: Run,
  reflectionId: ReflectionId,
  unpublished?: readonly string[],
): Promise<EndedSessions> {
  await execute(REVOKE_PUBLIC_AGENTS, [reflectionId])
  const values = [reflectionId, unpublished ? [...unpublished] : null]
  const ended = await execute<{ session_id: SessionId }>(END_PUBLIC_SESSIONS, values)
  return { ended: ended.map(({ session_id: sessionId }) => sessionId) }
}

const IS_CALLING = `(channel = 'voice' and status = 'active' and transcript = 'pending')`

// The prompt of a typed session was built from its namespaces alone. That of a call may have been replaced on a reconnect.
const USES_NONE_OF_THEM = `(channel = 'text' and status = 'active'
  and $2::text[] is not null and not namespaces && $2::text[])`

// The prompt of such a session is fixed. A typed session ends at once. A call runs at the provider: it is asked to end,
// and cannot continue as text. A session that is being opened waits for the reflection's lock, and then finds a new
// revision.
const END_PUBLIC_SESSIONS = statement(`with ended as (
    update reflection_sessions set status = 'ended', failure = 'unpublished', ended_at = now()
    where reflection_id = $1 and session_audience = 'public' and status in ('starting', 'active') and not ${IS_CALLING}
      and not ${USES_NONE_OF_THEM}
    returning session_id
  ), outdated as (
    update reflection_sessions set is_outdated = true
    where reflection_id = $1 and session_audience = 'public' and ${IS_CALLING}
  ), closed as (
    delete from public_scopes p using ended where p.session_id = ended.session_id
  )
  select session_id from ended`)

// Makes the public agents stale, and counts that they hold revoked sources.
const REVOKE_PUBLIC_AGENTS = statement(`update runtime_syncs set state = null, revocations = revocations + 1
  where reflection_id = $1 and surface in ('public', 'public_part')`)

// Makes the public agents stale.
export const MARK_PUBLIC_AGENTS_STALE = statement(`update runtime_syncs set state = null
  where reflection_id = $1 and surface in ('public', 'public_part')`)

/** Invalidates cached search results, and makes public sessions fail that are starting. */
export const RAISE_PUBLISH_REVISION = statement(
  'update reflections set publish_revision = publish_revision + 1 where id = $1',
)
