import type { PersonId } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../open-database.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { type FreshDatabase, freshDatabase, findTablesContaining } from '../testing/index.ts'
import type { RequestAttempt, KeyedRequest, StoredResponse } from './idempotency-store.ts'

let fresh: FreshDatabase
let database: Database
/** Another process on the same database. */
let other: Database

beforeAll(async () => {
  fresh = await freshDatabase()
  database = await openDatabase(fresh)
  other = await openDatabase(fresh)
  await runSql(fresh.databaseUrl, `insert into people (id, label) values ('per_ada', 'Ada')`)
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

const CLAIMED = expect.objectContaining({ kind: 'claimed' })

const listRows = () => runSql(fresh.databaseUrl, 'select from idempotent_requests')

/** Claims a request, as a process does. */
async function begin(request: KeyedRequest, { idempotency }: Database = database): Promise<RequestAttempt> {
  const claim = await idempotency.claim(request)
  if (claim.kind === 'claimed') return claim.attempt
  throw new Error(`The request is ${claim.kind}`)
}

const completeRequest = async () => {
  const request = freshRequest()
  await (await begin(request)).complete(RESPONSE)
  return request
}

const ada = 'per_ada' as PersonId
/** The ways in which a request writes: by one statement, or in a transaction. */
const WRITES: readonly [string, (by: Database) => Promise<unknown>][] = [
  ['a statement', ({ personSettings }) => personSettings.write(ada, { tour: 'done' })],
  ['a transaction', ({ reflections }) => reflections.create({ displayName: 'Ada', ownerId: ada })],
]
const listWrittenRows = () =>
  runSql(
    fresh.databaseUrl,
    'select (select count(*) from person_settings) as settings, (select count(*) from reflections) as reflections',
  )

const passTime = (time: string) =>
  runSql(
    fresh.databaseUrl,
    `update idempotent_requests set running_until = running_until - interval '${time}',
      expires_at = expires_at - interval '${time}'`,
  )

test('a repeated request gets the response of the first, from any process', async () => {
  const request = await completeRequest()
  for (const { idempotency } of [database, other]) {
    expect(await idempotency.claim(request)).toEqual({ kind: 'completed', response: RESPONSE })
  }
})

test('of concurrent requests on two processes, one is claimed', async () => {
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
  const attempt = await begin(request)
  expect(await other.idempotency.claim(changed)).toEqual({ kind: 'other_body' })
  await attempt.complete(RESPONSE)
  expect(await other.idempotency.claim(changed)).toEqual({ kind: 'other_body' })
})

test.each<[string, Partial<KeyedRequest>]>([
  ['another person', { caller: 'person per_eve' }],
  ['another endpoint', { endpoint: 'POST /v1/reflections' }],
  ['another key', { key: 'made-up-key-of-another-request' }],
])('%s shares nothing with the first', async (_, changed) => {
  const request = await completeRequest()
  expect(await database.idempotency.claim({ ...request, ...changed })).toEqual(CLAIMED)
})

describe('[X4] a request whose process died', () => {
  test('is carried out again after half a minute, if it had written nothing', async () => {
    const request = freshRequest()
    const dying = await openDatabase(fresh)
    const attempt = await begin(request, dying)
    await attempt.carryOut(() => dying.personSettings.read(ada))
    await dying.close()
    expect(await database.idempotency.claim(request)).toEqual({ kind: 'running' })
    await passTime('30 seconds')
    const claims = await Promise.all([database, other].map(({ idempotency }) => idempotency.claim(request)))
    expect(claims).toEqual(expect.arrayContaining([CLAIMED, { kind: 'running' }]))
  })

  test.each(WRITES)('is never carried out again, if it had committed %s', async (_, write) => {
    const request = freshRequest()
    const dying = await openDatabase(fresh)
    const attempt = await begin(request, dying)
    await attempt.carryOut(() => write(dying))
    await dying.close()
    expect(await database.idempotency.claim(request)).toEqual({ kind: 'running' })
    await passTime('30 seconds')
    expect(await database.idempotency.claim(request)).toEqual({ kind: 'unknown_outcome' })
  })

  test.each(WRITES)('can no longer commit %s if it still lives and was claimed again', async (_, write) => {
    const request = freshRequest()
    const slow = await begin(request, other)
    await passTime('30 seconds')
    const next = await begin(request)
    const before = await listWrittenRows()
    await expect(slow.carryOut(() => write(other))).rejects.toMatchObject({ code: 'request_in_progress' })
    await slow.complete({ ...RESPONSE, status: 500 })
    await slow.fail('refused')
    expect(await listWrittenRows()).toEqual(before)
    await next.carryOut(() => write(database))
    await next.complete(RESPONSE)
    expect(await other.idempotency.claim(request)).toEqual({ kind: 'completed', response: RESPONSE })
  })
})

test('a request that exceeds its time still stores its response', async () => {
  const request = freshRequest()
  const attempt = await begin(request)
  await passTime('1 minute')
  await attempt.complete(RESPONSE)
  expect(await other.idempotency.claim(request)).toMatchObject({ kind: 'completed' })
})

test('a refused request frees its key; an interrupted one does, if it had written nothing', async () => {
  const request = freshRequest()
  await (await begin(request)).fail('refused')
  await (await begin(request)).fail('interrupted')
  const attempt = await begin(request)
  await attempt.carryOut(() => database.personSettings.write(ada, { tour: 'skipped' }))
  await attempt.fail('interrupted')
  expect(await database.idempotency.claim(request)).toEqual({ kind: 'unknown_outcome' })
})

test('work that continues after its request writes as usual', async () => {
  const request = freshRequest()
  const attempt = await begin(request)
  const later = Promise.withResolvers<void>()
  const background = await attempt.carryOut(async () => ({
    done: later.promise.then(() => database.personSettings.write(ada, { tour: 'due' })),
  }))
  await attempt.fail('refused')
  later.resolve()
  await background.done
  expect(await database.personSettings.read(ada)).toEqual({ tour: 'due' })
})

test('after 24 hours the key is free, and a sweep deletes the row', async () => {
  const request = await completeRequest()
  await passTime('23 hours 59 minutes')
  await database.idempotency.sweep()
  expect(await database.idempotency.claim(request)).toMatchObject({ kind: 'completed' })
  await passTime('1 minute')
  expect(await database.idempotency.claim(request)).toEqual(CLAIMED)
  await database.idempotency.sweep()
  expect(await listRows()).toHaveLength(1)
  await passTime('24 hours')
  await database.idempotency.sweep()
  expect(await listRows()).toEqual([])
})

test('[X5] the database holds neither a key nor a response as text', async () => {
  const request = await completeRequest()
  for (const text of [request.key, request.caller, 'prl_made-up', 'token']) {
    const bytes = Buffer.from(text).toString('hex')
    expect(await findTablesContaining(fresh.databaseUrl, text)).not.toContain('public.idempotent_requests')
    expect(await findTablesContaining(fresh.databaseUrl, bytes)).not.toContain('public.idempotent_requests')
  }
})

test('[X5] a response in the row of another key is not decrypted', async () => {
  const [one, another] = [await completeRequest(), await completeRequest()]
  await runSql(
    fresh.databaseUrl,
    `update idempotent_requests set running_until = now(), response = (
      select response from idempotent_requests order by expires_at desc limit 1
    )`,
  )
  const claims = await Promise.all([one, another].map((request) => database.idempotency.claim(request)))
  expect(claims.filter(({ kind }) => kind === 'completed')).toHaveLength(1)
})
