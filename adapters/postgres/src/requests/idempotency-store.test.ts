import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../open-database.ts'
import { query } from '../server/testing/test-cluster.ts'
import { type FreshDatabase, freshDatabase, tablesHolding } from '../testing/index.ts'
import type { KeyedRequest, StoredResponse } from './idempotency-store.ts'

let fresh: FreshDatabase
let database: Database
/** Another process on the same database. */
let other: Database

beforeAll(async () => {
  fresh = await freshDatabase()
  database = await openDatabase(fresh)
  other = await openDatabase(fresh)
})

afterAll(async () => {
  await Promise.all([database.close(), other.close()])
  await fresh.drop()
})

let keys = 0
const freshRequest = (): KeyedRequest => ({
  caller: 'person per_ada',
  endpoint: 'POST /v1/tokens',
  key: `made-up-key-${(keys += 1)}`,
  bodyHash: Buffer.alloc(32, 1),
})

const RESPONSE: StoredResponse = {
  status: 201,
  headers: [['content-type', 'application/json']],
  body: '{"token":"prl_made-up-and-shown-once"}',
}

const CLAIMED = { kind: 'claimed' }

const rows = () => query(fresh.databaseUrl, 'select from idempotent_requests')

const carriedOut = async () => {
  const request = freshRequest()
  expect(await database.idempotency.claim(request)).toEqual(CLAIMED)
  await database.idempotency.complete(request, RESPONSE)
  return request
}
const pass = (time: string) =>
  query(
    fresh.databaseUrl,
    `update idempotent_requests set running_until = running_until - interval '${time}',
      expires_at = expires_at - interval '${time}'`,
  )

test('a repeated request gets the response of the first, from any process', async () => {
  const request = await carriedOut()
  for (const { idempotency } of [database, other]) {
    expect(await idempotency.claim(request)).toEqual({ kind: 'completed', response: RESPONSE })
  }
})

test('of many at once, on two processes, one is claimed', async () => {
  const request = freshRequest()
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? database : other).idempotency.claim(request)),
  )
  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1)
  expect(claims.filter(({ kind }) => kind === 'running')).toHaveLength(19)
})

test('the same key with another body is refused, while the first runs and afterwards', async () => {
  const request = freshRequest()
  const changed = { ...request, bodyHash: Buffer.alloc(32, 2) }
  await database.idempotency.claim(request)
  expect(await other.idempotency.claim(changed)).toEqual({ kind: 'other_body' })
  await database.idempotency.complete(request, RESPONSE)
  expect(await other.idempotency.claim(changed)).toEqual({ kind: 'other_body' })
})

test.each<[string, Partial<KeyedRequest>]>([
  ['another person', { caller: 'person per_eve' }],
  ['another endpoint', { endpoint: 'POST /v1/reflections' }],
  ['another key', { key: 'made-up-key-of-another-request' }],
])('%s shares nothing with the first', async (_, changed) => {
  const request = await carriedOut()
  expect(await database.idempotency.claim({ ...request, ...changed })).toEqual(CLAIMED)
})

test('[X4] a request whose process died is never claimed a second time', async () => {
  const request = freshRequest()
  const dying = await openDatabase(fresh)
  await dying.idempotency.claim(request)
  await dying.close()
  expect(await database.idempotency.claim(request)).toEqual({ kind: 'running' })
  await pass('1 minute')
  expect(await database.idempotency.claim(request)).toEqual({ kind: 'unknown_outcome' })
})

test('a request that took longer than it may still stores its response', async () => {
  const request = freshRequest()
  await database.idempotency.claim(request)
  await pass('1 minute')
  await database.idempotency.complete(request, RESPONSE)
  expect(await other.idempotency.claim(request)).toMatchObject({ kind: 'completed' })
})

test('a refused request frees its key; one that may have been carried out keeps it', async () => {
  const request = freshRequest()
  await database.idempotency.claim(request)
  await database.idempotency.fail(request, 'refused')
  expect(await database.idempotency.claim(request)).toEqual(CLAIMED)
  await database.idempotency.fail(request, 'unknown_outcome')
  expect(await database.idempotency.claim(request)).toEqual({ kind: 'unknown_outcome' })
})

test('after 24 hours the key is free, and a sweep deletes the row', async () => {
  const request = await carriedOut()
  await pass('23 hours 59 minutes')
  await database.idempotency.sweep()
  expect(await database.idempotency.claim(request)).toMatchObject({ kind: 'completed' })
  await pass('1 minute')
  expect(await database.idempotency.claim(request)).toEqual(CLAIMED)
  await database.idempotency.sweep()
  expect(await rows()).toHaveLength(1)
  await pass('24 hours')
  await database.idempotency.sweep()
  expect(await rows()).toEqual([])
})

test('[X5] neither a key nor a response is in the database as text', async () => {
  const request = await carriedOut()
  for (const text of [request.key, request.caller, 'prl_made-up', 'token']) {
    const bytes = Buffer.from(text).toString('hex')
    expect(await tablesHolding(fresh.databaseUrl, text)).not.toContain('public.idempotent_requests')
    expect(await tablesHolding(fresh.databaseUrl, bytes)).not.toContain('public.idempotent_requests')
  }
})

test('[X5] a response that was moved to the row of another key is not decrypted', async () => {
  const [one, another] = [await carriedOut(), await carriedOut()]
  await query(
    fresh.databaseUrl,
    `update idempotent_requests set running_until = now(), response = (
      select response from idempotent_requests order by expires_at desc limit 1
    )`,
  )
  const claims = await Promise.all([one, another].map((request) => database.idempotency.claim(request)))
  expect(claims.filter(({ kind }) => kind === 'completed')).toHaveLength(1)
})
