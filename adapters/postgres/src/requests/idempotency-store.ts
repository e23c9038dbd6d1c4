import { createHmac } from 'node:crypto'
import { decryptForRow, encryptForRow } from '../row-encryption.ts'
import type { Run } from '../run-statements.ts'

/** A request that its client may repeat with the same key. */
export interface KeyedRequest {
  /** Keys of different callers, and for different endpoints, never meet. */
  readonly caller: string
  readonly endpoint: string
  readonly key: string
  readonly bodyHash: Uint8Array
}

export interface StoredResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

export type RequestClaim =
  /** Carry it out, then `complete` or `fail` it. */
  | { readonly kind: 'claimed' }
  | { readonly kind: 'completed'; readonly response: StoredResponse }
  | { readonly kind: 'running' }
  /** It was claimed, but its outcome was never stored: its process died, or the database failed. */
  | { readonly kind: 'unknown_outcome' }
  | { readonly kind: 'other_body' }

/** Which keyed requests were carried out in the last 24 hours, and their responses. */
export interface IdempotencyStore {
  /** Of requests with the same key, one is claimed; the others learn its outcome. */
  claim(request: KeyedRequest): Promise<RequestClaim>
  complete(request: KeyedRequest, response: StoredResponse): Promise<void>
  /** After a request that was `refused` the key is free again; one that may have been carried out keeps it. */
  fail(request: KeyedRequest, how: 'refused' | 'unknown_outcome'): Promise<void>
  /** Deletes the rows that are over. */
  sweep(): Promise<void>
}

/**
 * A response may hold a secret that is shown once. It is encrypted with a key derived from the server's secret and the
 * client's key; the latter is not stored, so only a repeated request decrypts it.
 */
export function postgresIdempotencyStore(run: Run, secret: Buffer): IdempotencyStore {
  const derive = (purpose: string, { caller, endpoint, key }: KeyedRequest, more = '') =>
    createHmac('sha256', secret)
      .update(JSON.stringify([purpose, caller, endpoint, key, more]))
      .digest()
  const idOf = (request: KeyedRequest) => derive('id', request)
  const keyOf = (request: KeyedRequest) => derive('response', request)
  const bodyOf = (request: KeyedRequest) =>
    derive('body', request, Buffer.from(request.bodyHash).toString('hex'))

  const find = async (request: KeyedRequest): Promise<RequestClaim | undefined> => {
    const id = idOf(request)
    const [row] = await run<Row>(FIND, [id])
    if (!row) return undefined
    if (!row.body_hash.equals(bodyOf(request))) return { kind: 'other_body' }
    const text = row.response && decryptForRow(keyOf(request), id.toString('hex'), row.response)
    if (text) return { kind: 'completed', response: JSON.parse(text) as StoredResponse }
    return { kind: row.is_running ? 'running' : 'unknown_outcome' }
  }

  return {
    async claim(request) {
      const claimed = await run(CLAIM, [idOf(request), bodyOf(request)])
      if (claimed.length > 0) return { kind: 'claimed' }
      // Absent: the other request was refused in between. Its client sends this one again.
      return (await find(request)) ?? { kind: 'running' }
    },

    async complete(request, response) {
      const id = idOf(request)
      const encrypted = encryptForRow(keyOf(request), id.toString('hex'), JSON.stringify(response))
      await run(COMPLETE, [id, encrypted])
    },

    async fail(request, how) {
      await run(how === 'refused' ? RELEASE : GIVE_UP, [idOf(request)])
    },

    async sweep() {
      await run(SWEEP)
    },
  }
}

interface Row {
  readonly body_hash: Buffer
  readonly response: Buffer | null
  readonly is_running: boolean
}

/** No request of an endpoint that creates something runs longer; a session has 12 seconds to start. */
const RUNS_AT_MOST = `interval '1 minute'`

const CLAIM = {
  name: 'claim_idempotent_request',
  text: `insert into idempotent_requests (id, body_hash, running_until, expires_at)
    values ($1, $2, now() + ${RUNS_AT_MOST}, now() + interval '24 hours')
    on conflict (id) do update
      set body_hash = excluded.body_hash, running_until = excluded.running_until, expires_at = excluded.expires_at,
        response = null
      where idempotent_requests.expires_at <= now()
    returning id`,
}

const FIND = {
  name: 'find_idempotent_request',
  text: `select body_hash, response, running_until > now() as is_running
    from idempotent_requests where id = $1 and expires_at > now()`,
}

const COMPLETE = {
  name: 'complete_idempotent_request',
  text: 'update idempotent_requests set response = $2 where id = $1',
}

const RELEASE = {
  name: 'release_idempotent_request',
  text: 'delete from idempotent_requests where id = $1 and response is null',
}

const GIVE_UP = {
  name: 'give_up_idempotent_request',
  text: 'update idempotent_requests set running_until = now() where id = $1',
}

// Rows that a claim is renewing are skipped.
const SWEEP = {
  name: 'sweep_idempotent_requests',
  text: `delete from idempotent_requests where id in (
    select id from idempotent_requests where expires_at <= now() for update skip locked
  )`,
}
