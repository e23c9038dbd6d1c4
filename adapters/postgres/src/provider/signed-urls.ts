import { createHash } from 'node:crypto'
import type { Run } from '../queries.ts'
import type { Body, SignedUrlStore } from './provider-store.ts'

export function postgresSignedUrls(run: Run): SignedUrlStore {
  return {
    async create(signature, { agentId, conversationId, body }, expiresAt) {
      const values = [hashOf(signature), agentId, conversationId ?? null, JSON.stringify(body), expiresAt]
      await run(CREATE, values)
    },

    async use(signature) {
      const [row] = await run<Row>(USE, [hashOf(signature)])
      return (
        row && {
          agentId: row.agent_id,
          ...(row.conversation_id !== null && { conversationId: row.conversation_id }),
          body: row.body,
        }
      )
    },
  }
}

const hashOf = (signature: string) => createHash('sha256').update(signature).digest()

interface Row {
  readonly agent_id: string
  readonly conversation_id: string | null
  readonly body: Body
}

const CREATE = {
  name: 'create_signed_url',
  text: `with late as (delete from provider.signed_urls where expires_at < clock_timestamp())
    insert into provider.signed_urls (signature_hash, agent_id, conversation_id, body, expires_at)
    values ($1, $2, $3, $4, $5)`,
}

// Two who come at once meet at the row, and the second finds it used.
const USE = {
  name: 'use_signed_url',
  text: `update provider.signed_urls set used_at = clock_timestamp()
    where signature_hash = $1 and expires_at > clock_timestamp() and (conversation_id is null or used_at is null)
    returning agent_id, conversation_id, body`,
}
