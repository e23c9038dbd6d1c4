import { createHash, createHmac } from 'node:crypto'
import { PlatformError, type ReflectionId } from '@parley/contracts'
import type { Run } from '../queries.ts'

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
