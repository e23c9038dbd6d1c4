import type { SessionId } from '@parley/contracts'
import type { Lease } from '@parley/engine'
import { createTestSession } from '@parley/engine/testing'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../open-database.ts'
import { runSql, waitUntil } from '../server/testing/test-cluster.ts'
import { getErrorCode } from '../login/database-error.ts'
import { type FreshDatabase, freshDatabase } from '../testing/index.ts'
import { AT, createBatch, ids, createNewTurn, runInChild } from './testing/turns.ts'

let fresh: FreshDatabase
let ours: Database
let theirs: Database

beforeAll(async () => {
  fresh = await freshDatabase()
  ours = await openDatabase(fresh)
  theirs = await openDatabase(fresh)
})

afterAll(async () => {
  await ours.close()
  await theirs.close()
  await fresh.drop()
})

const listCodes = (outcomes: readonly PromiseSettledResult<Lease>[]) =>
  outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [getErrorCode(outcome.reason)] : []))

const startSession = async (): Promise<SessionId> => {
  const id = ids.sessionId()
  await ours.sessions.create(...createTestSession(id, AT))
  return id
}

const BUSY = { code: 'session_busy' }

/** Takes over the open turn of a dead process. */
async function takeOver({ sessionId, turnId }: Pick<Lease, 'sessionId' | 'turnId'>): Promise<Lease> {
  let lease: Lease | undefined
  await waitUntil(async () => {
    lease = await ours.sessions.takeOver({ sessionId, turnId, state: 'interrupted', reserve: 10 })
    return lease !== undefined
  })
  if (!lease) throw new Error('unreachable')
  return lease
}

const readTurnState = async (id: SessionId) => (await ours.sessions.find(id))?.openTurn?.state

test('[X4] the turn of a killed process is taken over at once, and no event number repeats', async () => {
  const id = await startSession()
  for (const round of [1, 2, 3]) {
    const child = runInChild(
      fresh.databaseUrl,
      { id },
      `const lease = await sessions.beginTurn(createNewTurn(given.id))
       await sessions.append(lease, createBatch(lease, { lease: 'kept', reservedUpTo: lease.reservedUpTo + 50 }))
       console.log(JSON.stringify(lease))
       setInterval(() => {}, 1_000)`,
    )
    const held: Lease = JSON.parse(await child.said)
    expect(held.turnNumber).toBe(round)
    await expect(ours.sessions.beginTurn(createNewTurn(id))).rejects.toMatchObject(BUSY)
    expect(await readTurnState(id)).toBe('running')

    child.kill()
    const lease = await takeOver(held)
    expect(lease).toMatchObject({
      epoch: held.epoch + 1,
      turnNumber: round,
      eventSequence: held.reservedUpTo + 51,
      fromSequence: held.eventSequence + 2,
      lastMessageNumber: held.lastMessageNumber + 1,
      openingEventNumber: held.eventSequence,
    })
    await expect(theirs.sessions.append(held, createBatch(held))).rejects.toMatchObject(BUSY)
    await ours.sessions.append(lease, createBatch(lease))
  }
  const messages = await ours.sessions.readMessages(id, { after: 0, limit: 100 })
  expect(messages.map(({ sequenceNumber }) => sequenceNumber)).toEqual(listNumbers(9))
})

test('[S2] of concurrent turns in two processes, one gets the lease', async () => {
  const id = await startSession()
  const attempts = Array.from({ length: 20 }, (_, index) =>
    (index % 2 ? ours : theirs).sessions.beginTurn(createNewTurn(id)),
  )
  const outcomes = await Promise.allSettled(attempts)
  expect(listCodes(outcomes)).toEqual(Array.from({ length: 19 }, () => BUSY.code))
  expect(await ours.sessions.readMessages(id, { after: 0, limit: 100 })).toHaveLength(1)
})

test('[S2] of concurrent takeovers from a dead process, one gets the lease', async () => {
  const id = await startSession()
  const gone = await openDatabase(fresh)
  const { turnId } = await gone.sessions.beginTurn(createNewTurn(id))
  await gone.close()
  await waitUntil(async () => (await readTurnState(id)) === 'interrupted')
  const attempts = Array.from({ length: 20 }, (_, index) =>
    (index % 2 ? ours : theirs).sessions.takeOver({
      sessionId: id,
      turnId,
      state: 'interrupted',
      reserve: 10,
    }),
  )
  expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1)
})

test('[S2][S6] two processes that compete for a session take turns, and no number is lost or repeated', async () => {
  const id = await startSession()
  const turns = 25
  const first = await ours.sessions.beginTurn(createNewTurn(id))
  const children = [1, 2].map(() =>
    runInChild(
      fresh.databaseUrl,
      { id, turns },
      `for (let done = 0; done < given.turns; ) {
         const lease = await sessions.beginTurn(createNewTurn(given.id)).catch((error) => {
           if (error.code !== 'session_busy') throw error
           console.log('busy')
         })
         if (!lease) continue
         await sessions.append(lease, createBatch(lease))
         done += 1
       }
       await database.close()`,
    ),
  )
  // Both processes wait before either can start.
  expect(await Promise.all(children.map(({ said }) => said))).toEqual(['busy', 'busy'])
  await ours.sessions.append(first, createBatch(first))
  expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0])

  const steps = 2 * (1 + 2 * turns)
  const messages = await ours.sessions.readMessages(id, { after: 0, limit: 1_000 })
  expect(messages.map(({ sequenceNumber }) => sequenceNumber)).toEqual(listNumbers(steps))
  expect(messages.filter(({ role }, index) => role !== ROLES[index % 2])).toEqual([])
  const events = await ours.sessions.readEvents(id, { after: 0, limit: 1_000 })
  expect(events.map(({ sequenceNumber }) => sequenceNumber)).toEqual(listNumbers(1 + steps))
})

const listNumbers = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

const ROLES = ['user', 'assistant']

test('a message with a used key does not begin a turn, even after the first turn ended', async () => {
  const id = await startSession()
  const once = createNewTurn(id, 'Hello', { idempotencyKey: 'once' })
  const lease = await ours.sessions.beginTurn(once)
  await ours.sessions.append(lease, createBatch(lease))
  const again = createNewTurn(id, 'Hello', { idempotencyKey: 'once' })
  await expect(theirs.sessions.beginTurn(again)).rejects.toMatchObject(BUSY)
  expect(await theirs.sessions.findRepeatedTurn(id, 'once')).toMatchObject({ turnId: once.turnId })
  expect(await ours.sessions.readMessages(id, { after: 0, limit: 10 })).toHaveLength(2)
})

test('messages with a gap before or between them are refused', async () => {
  const id = await startSession()
  const lease = await ours.sessions.beginTurn(createNewTurn(id))
  for (const numbers of [[3], [2, 4]]) {
    const messages = createBatch(lease).messages.flatMap((message) =>
      numbers.map((sequenceNumber) => ({ ...message, sequenceNumber })),
    )
    const append = ours.sessions.append(lease, createBatch(lease, { messages }))
    await expect(append).rejects.toMatchObject(BUSY)
  }
  await ours.sessions.append(lease, createBatch(lease))
})

test('[X4] a process that loses its presence takes the same key again, and its turn continues', async () => {
  const id = await startSession()
  const database = await openDatabase(fresh)
  const lease = await database.sessions.beginTurn(createNewTurn(id))
  const readHolder = async () => {
    const [row] = await runSql(
      fresh.databaseUrl,
      `select s.lease_holder::text, l.pid from agent_sessions s left join pg_locks l on l.locktype = 'advisory'
         and ((l.classid::bigint << 32) | l.objid::bigint) = s.lease_holder where s.id = '${id}'`,
    )
    return row
  }
  const before = await readHolder()
  await runSql(fresh.databaseUrl, `select pg_terminate_backend(${Number(before?.['pid'])})`)
  await waitUntil(async () => Boolean((await readHolder())?.['pid']))
  expect((await readHolder())?.['lease_holder']).toBe(before?.['lease_holder'])
  expect(await readTurnState(id)).toBe('running')
  await database.sessions.append(lease, createBatch(lease))
  await database.close()
})

test('[X4][S4] a batch whose connection breaks before it is stored is stored with the next', async () => {
  const id = await startSession()
  const lease = await ours.sessions.beginTurn(createNewTurn(id))
  const blocker = await blockRow(id)
  const append = ours.sessions.append(lease, createBatch(lease))
  await waitUntil(() => blocker.endWaiting())
  await blocker.release()
  await append
  expect(await readTurnState(id)).toBeUndefined()
  expect(await ours.sessions.readMessages(id, { after: 0, limit: 10 })).toHaveLength(2)
})

test('[S2] a cancel request that arrives while the notice connection is lost is read when it returns', async () => {
  const id = await startSession()
  const database = await openDatabase(fresh)
  const lease = await database.sessions.beginTurn(createNewTurn(id))
  const cancelled = new Promise<string>((resolve) =>
    database.sessions.watchCancel(lease, () => resolve('told')),
  )
  await runSql(fresh.databaseUrl, `update agent_sessions set cancel_asked = true where id = '${id}'`)
  await runSql(
    fresh.databaseUrl,
    `select pg_terminate_backend(l.pid) from agent_sessions s join pg_locks l on l.locktype = 'advisory'
       and ((l.classid::bigint << 32) | l.objid::bigint) = s.lease_holder where s.id = '${id}'`,
  )
  expect(await cancelled).toBe('told')
  await database.close()
})

/** Locks a session's row, so that a write waits and its connection can be cut. */
async function blockRow(id: SessionId) {
  const client = new Client(fresh.databaseUrl)
  await client.connect()
  await client.query('begin')
  await client.query('select from agent_sessions where id = $1 for update', [id])
  return {
    async endWaiting() {
      const { rows } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and usename = 'parley_serving'`,
      )
      return rows.length > 0
    },
    release: () => client.end(),
  }
}
