import { createHash, createHmac } from 'node:crypto'
import { PlatformError, type ReflectionId, type SessionId } from '@parley/contracts'
import type { TakenBack } from '@parley/knowledge'
import type { Run } from '../run-statements.ts'

export interface NewPublicScope {
  readonly sessionId: string
  readonly reflectionId: ReflectionId
  /** Those that the session may ever see, by name; by default all that are published now. */
  readonly namespaces?: readonly string[]
}

/** What public sessions may see. Nothing but its capability opens a session's scope, and only its hash is kept. */
export interface PublicScopes {
  /** For a session that has a scope, what it may see stays. */
  create(scope: NewPublicScope, signal?: AbortSignal): Promise<Uint8Array>
  /** The same one, in every process; it opens nothing where there is no such scope. */
  capabilityOf(sessionId: string): Uint8Array
  /** From then on its capability opens nothing, and nothing is left of it. */
  end(sessionId: string): Promise<void>
}

export function postgresPublicScopes(run: Run, key: Buffer): PublicScopes {
  const capabilityOf = (sessionId: string) => createHmac('sha256', key).update(sessionId).digest()
  return {
    capabilityOf,

    async create({ sessionId, reflectionId, namespaces }, signal) {
      const capability = capabilityOf(sessionId)
      const hash = createHash('sha256').update(capability).digest()
      const names = namespaces ? [...namespaces] : null
      const [row] = await run(CREATE, [sessionId, hash, reflectionId, names], signal)
      if (row) return capability
      throw new PlatformError('reflection_not_found', { reflectionId })
    },

    async end(sessionId) {
      await run(END, [sessionId])
    },
  }
}

const CREATE = {
  name: 'create_public_scope',
  text: `insert into public_scopes (session_id, capability_hash, reflection_id, namespace_ids)
    select $1, $2, r.id, array(
      select n.id from namespaces n
      where n.reflection_id = r.id and n.is_published and ($4::text[] is null or n.name = any($4))
    )
    from reflections r where r.id = $3 and r.removed_at is null
    on conflict (session_id) do update set capability_hash = excluded.capability_hash
      where public_scopes.is_live and public_scopes.reflection_id = excluded.reflection_id
    returning session_id`,
}

const END = {
  name: 'end_public_scope',
  text: 'delete from public_scopes where session_id = $1',
}

/**
 * Ends what was made from more than the public may still be told, while the reflection is locked. To be followed by a
 * rebuild.
 */
export async function endPublic(within: Run, reflectionId: ReflectionId): Promise<TakenBack> {
  await within(TAKE_BACK, [reflectionId])
  const ended = await within<EndedRow>(END_PUBLIC_SESSIONS, [reflectionId])
  return { ended: ended.map(({ session_id: sessionId }) => sessionId) }
}

interface EndedRow {
  readonly session_id: SessionId
}

const IS_CALLING = `(channel = 'voice' and status = 'active' and transcript = 'pending')`

// What such a session was told is frozen into it. One that is typed is ours to end, whatever its link is for, so
// it ends. A call is the provider's: it is told to end, and does not go on in writing. A
// session that is just being opened waits for the lock of its reflection, and then finds that the revision has changed.
const END_PUBLIC_SESSIONS = {
  name: 'end_public_sessions',
  text: `with ended as (
      update reflection_sessions set status = 'ended', failure = 'unpublished', ended_at = now()
      where reflection_id = $1 and session_audience = 'public' and status in ('starting', 'active') and not ${IS_CALLING}
      returning session_id
    ), narrowed as (
      update reflection_sessions set is_outdated = true
      where reflection_id = $1 and session_audience = 'public' and ${IS_CALLING}
    ), closed as (
      delete from public_scopes p using ended where p.session_id = ended.session_id
    )
    select session_id from ended`,
}

// What the public's agents were made from counts no more, and they must not hold what was taken back.
const TAKE_BACK = {
  name: 'take_back_from_public',
  text: `update runtime_syncs set state = null, taken_back = taken_back + 1
    where reflection_id = $1 and surface in ('public', 'public_part')`,
}

// What the public's agents were made from counts no more.
export const MARK_STALE = {
  name: 'mark_public_stale',
  text: `update runtime_syncs set state = null
    where reflection_id = $1 and surface in ('public', 'public_part')`,
}

/** What was found before is found no more, wherever answers are kept. */
export const RAISE_PUBLISH_REVISION = {
  name: 'raise_publish_revision',
  text: 'update reflections set publish_revision = publish_revision + 1 where id = $1',
}
