import { createHmac } from 'node:crypto'
import { PlatformError } from '@parley/contracts'
import { decryptForRow, encryptForRow } from '../encryption.ts'
import { type BeforeCommit, type CommitWatch, type Run, ignoreRows } from '../run-statements.ts'
import { statement } from '../statement.ts'

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

/** The right to carry out a request. */
export interface RequestAttempt {
  /** Transactions within it also note that the request has written something. */
  carryOut<Outcome>(work: () => Promise<Outcome>): Promise<Outcome>
  complete(response: StoredResponse): Promise<void>
  /** A refused request frees its key. An interrupted one is carried out again only if it has written nothing. */
  fail(how: 'refused' | 'interrupted'): Promise<void>
}

export type RequestClaim =
  | { readonly kind: 'claimed'; readonly attempt: RequestAttempt }
  | { readonly kind: 'completed'; readonly response: StoredResponse }
  | { readonly kind: 'running' }
  /** It has written something, but its response was never stored: its process died, or the database failed. */
  | { readonly kind: 'unknown_outcome' }
  | { readonly kind: 'other_body' }

/** Which keyed requests were carried out in the last 24 hours, and their responses. */
export interface IdempotencyStore {
  /** Of requests with the same key, one is claimed; the others learn its outcome. */
  claim(request: KeyedRequest): Promise<RequestClaim>
  /** Deletes the rows that are over. */
  sweep(): Promise<void>
}

interface IdempotencyHost {
  readonly run: Run
  readonly watch: CommitWatch
  readonly secret: Buffer
}

/**
 * A response may hold a secret that is shown once. It is encrypted with a key derived from the server's secret and the
 * client's key; the latter is not stored, so only a repeated request decrypts it.
 */
export function postgresIdempotencyStore({ run, watch, secret }: IdempotencyHost): IdempotencyStore {
  const derive = (purpose: string, { caller, endpoint, key }: KeyedRequest, more = '') =>
    createHmac('sha256', secret)
      .update(JSON.stringify([purpose, caller, endpoint, key, more]))
      .digest()

  return {
    async claim(request) {
      const id = derive('id', request)
      const bodyHash = derive('body', request, Buffer.from(request.bodyHash).toString('hex'))
      const responseKey = derive('response', request)
      const place = id.toString('hex')

      const [claimed] = await run<{ attempt: number }>(CLAIM, [id, bodyHash])
      if (claimed) {
        const encrypt = (text: string) => encryptForRow(responseKey, place, text)
        return { kind: 'claimed', attempt: createAttempt([id, claimed.attempt], encrypt, { run, watch }) }
      }
      const [row] = await run<RequestRow>(FIND, [id])
      // The other attempt was refused in between. The client sends this one again.
      if (!row) return { kind: 'running' }
      if (!row.body_hash.equals(bodyHash)) return { kind: 'other_body' }
      if (!row.response) return { kind: row.is_running ? 'running' : 'unknown_outcome' }
      const text = decryptForRow(responseKey, place, row.response)
      if (text === undefined) return { kind: 'unknown_outcome' }
      return { kind: 'completed', response: JSON.parse(text) as StoredResponse }
    },

    sweep: () => ignoreRows(run(SWEEP)),
  }
}

type AttemptId = readonly [id: Buffer, attempt: number]

function createAttempt(
  attemptId: AttemptId,
  encrypt: (text: string) => Buffer,
  { run, watch }: Pick<IdempotencyHost, 'run' | 'watch'>,
): RequestAttempt {
  const recordWrite: BeforeCommit = async (execute) => {
    const [transaction] = await execute<{ has_written: boolean }>(HAS_WRITTEN)
    if (!transaction?.has_written) return
    const recorded = await execute(RECORD_WRITE, attemptId)
    if (recorded.length === 0) {
      throw new PlatformError('request_in_progress', {
        message: 'This request took too long and was repeated.',
      })
    }
  }
  return {
    carryOut: (work) => watch.during(recordWrite, work),
    complete: (response) => ignoreRows(run(COMPLETE, [...attemptId, encrypt(JSON.stringify(response))])),
    fail: (how) => ignoreRows(run(how === 'refused' ? RELEASE : INTERRUPT, attemptId)),
  }
}

interface RequestRow {
  readonly body_hash: Buffer
  readonly response: Buffer | null
  readonly is_running: boolean
}

/** Longer than any request that creates something: a session has 12 seconds to start. */
const MAX_RUN = `interval '30 seconds'`

const CLAIM = statement(`insert into idempotent_requests as one (id, body_hash, running_until, expires_at)
  values ($1, $2, now() + ${MAX_RUN}, now() + interval '24 hours')
  on conflict (id) do update
    set body_hash = excluded.body_hash, attempt = one.attempt + 1, running_until = excluded.running_until,
      has_written = false, expires_at = excluded.expires_at, response = null
    where one.expires_at <= now()
      or one.body_hash = excluded.body_hash and one.response is null and not one.has_written
        and one.running_until <= now()
  returning attempt`)

const FIND = statement(`select body_hash, response, running_until > now() or not has_written as is_running
  from idempotent_requests where id = $1 and expires_at > now()`)

// Postgres gives a transaction its id with the first write.
const HAS_WRITTEN = statement('select pg_current_xact_id_if_assigned() is not null as has_written')

// No row: a later attempt has claimed the request.
const RECORD_WRITE = statement(
  'update idempotent_requests set has_written = true where id = $1 and attempt = $2 returning id',
)

const COMPLETE = statement('update idempotent_requests set response = $3 where id = $1 and attempt = $2')

const RELEASE = statement('delete from idempotent_requests where id = $1 and attempt = $2')

// Not now(): the column rounds to milliseconds, which may be later than the next claim.
const INTERRUPT = statement(
  `update idempotent_requests set running_until = '-infinity' where id = $1 and attempt = $2`,
)

// Rows that a claim is renewing are skipped.
const SWEEP = statement(`delete from idempotent_requests where id in (
  select id from idempotent_requests where expires_at <= now() for update skip locked
  )`)
