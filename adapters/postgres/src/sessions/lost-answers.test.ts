import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { SessionId } from '@parley/contracts'
import { createTestSession } from '@parley/engine/testing'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../open-database.ts'
import { runSql, waitUntil } from '../server/testing/test-cluster.ts'
import { type FreshDatabase, freshDatabase } from '../testing/index.ts'
import { AT, createBatch, createCompletedEvent, ids, createNewTurn } from './testing/turns.ts'

let fresh: FreshDatabase
let theirs: Database
let id: SessionId

beforeAll(async () => {
  fresh = await freshDatabase()
  theirs = await openDatabase(fresh)
})
beforeEach(async () => {
  id = ids.sessionId()
  await theirs.sessions.create(...createTestSession(id, AT))
})
afterAll(async () => {
  await theirs.close()
  await fresh.drop()
})

const readMessages = () => theirs.sessions.readMessages(id, { after: 0, limit: 100 })
const openTurn = async () => (await theirs.sessions.find(id))?.openTurn

test('[X4][S4] a message that was stored while the answer was lost exists once, and its turn continues', async () => {
  const { line, ours } = await openOverLine()
  line.loseAnswers()
  const pendingLease = ours.sessions.beginTurn(createNewTurn(id))
  await waitUntil(async () => (await readMessages()).length === 1)
  line.cut()
  const lease = await pendingLease
  expect(lease).toMatchObject({ lastMessageNumber: 1, eventSequence: 2, openingEventNumber: 2 })
  await ours.sessions.append(lease, createBatch(lease))
  expect(await readMessages()).toHaveLength(2)
  expect(await openTurn()).toBeUndefined()
})

test('[X4][S4] a continued turn that was opened while the answer was lost is opened once', async () => {
  const { line, ours } = await openOverLine()
  const first = await ours.sessions.beginTurn(createNewTurn(id))
  await ours.sessions.append(first, createBatch(first, { messages: [] }))
  const { turnId, event, reserve } = createNewTurn(id)
  const question = { kind: 'stored' as const, sequenceNumber: 1, messageCount: 1 }
  line.loseAnswers()
  const pendingLease = ours.sessions.beginTurn({ sessionId: id, turnId, event, reserve, question })
  await waitUntil(async () => (await openTurn())?.turnId === turnId)
  line.cut()
  expect(await pendingLease).toMatchObject({ epoch: first.epoch + 1, turnNumber: 2, lastMessageNumber: 1 })
})

test.each(['kept', 'ended', 'waiting'] as const)(
  '[X4][S4] a batch that is stored, while the answer is lost, is there once (lease %s)',
  async (lease) => {
    const { line, ours } = await openOverLine()
    const held = await ours.sessions.beginTurn(createNewTurn(id))
    line.loseAnswers()
    const append = ours.sessions.append(held, createBatch(held, { lease }))
    await waitUntil(async () => (await readMessages()).length === 2)
    line.cut()
    await append
    expect(await readMessages()).toHaveLength(2)
    const state = { kept: 'running', ended: undefined, waiting: 'waiting' }[lease]
    // Statements succeed again a moment before the key is locked again.
    await waitUntil(async () => (await openTurn())?.state === state)
  },
)

test('[X4][S2] a process that returns after a takeover has lost its turn, and repeats nothing', async () => {
  const { line, ours } = await openOverLine()
  const held = await ours.sessions.beginTurn(createNewTurn(id))
  line.close()
  const append = ours.sessions.append(held, createBatch(held))
  await takeOverAndEnd()
  line.open()
  await expect(append).rejects.toMatchObject({ code: 'session_busy' })
  expect(await readMessages()).toHaveLength(2)
})

test('[X4][S4] a message whose turn another process ended before its beginning was confirmed is not stored again', async () => {
  const { line, ours } = await openOverLine()
  line.loseAnswers()
  const pendingLease = ours.sessions.beginTurn(createNewTurn(id))
  await waitUntil(async () => (await readMessages()).length === 1)
  line.close()
  await takeOverAndEnd()
  line.open()
  await expect(pendingLease).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining('Your message is stored'),
  })
  expect(await readMessages()).toHaveLength(2)
  expect(await openTurn()).toBeUndefined()
})

test('[X4][S4] a message whose first attempt succeeds during the second is stored once', async () => {
  const { line, ours } = await openOverLine()
  const blocker = new Client({ connectionString: fresh.databaseUrl })
  await blocker.connect()
  onTestFinished(() => blocker.end())
  await blocker.query('begin')
  await blocker.query('select from agent_sessions where id = $1 for update', [id])
  const countWaiting = async () => {
    const found = await runSql(
      fresh.databaseUrl,
      `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return found.length
  }
  const pendingLease = ours.sessions.beginTurn(createNewTurn(id))
  await waitUntil(async () => (await countWaiting()) === 1)
  // A backend that waits for a lock does not notice that its client has left.
  line.cut()
  await waitUntil(async () => (await countWaiting()) === 2)
  await blocker.query('commit')
  const lease = await pendingLease
  expect(lease).toMatchObject({ lastMessageNumber: 1 })
  await ours.sessions.append(lease, createBatch(lease))
  expect(await readMessages()).toHaveLength(2)
  expect(await openTurn()).toBeUndefined()
})

test('[X4] a process that lost only its own side of a connection soon locks its key again', async () => {
  const { line, ours } = await openOverLine()
  await ours.sessions.beginTurn(createNewTurn(id))
  const readHolder = async () => {
    const rows = await runSql(
      fresh.databaseUrl,
      `select l.pid from agent_sessions s join pg_locks l on l.locktype = 'advisory' and l.mode = 'ExclusiveLock'
         and ((l.classid::bigint << 32) | l.objid::bigint) = s.lease_holder where s.id = '${id}' and l.granted`,
    )
    return rows[0]?.['pid']
  }
  const before = await readHolder()
  line.leave()
  await waitUntil(async () => ![before, undefined].includes(await readHolder()))
  expect((await openTurn())?.state).toBe('running')
})

/** A second process considers the first one dead, takes its turn over and ends it. */
async function takeOverAndEnd(): Promise<void> {
  await waitUntil(async () => {
    const open = await openTurn()
    if (open?.state !== 'interrupted') return false
    const { turnId } = open
    const over = { sessionId: id, turnId, state: 'interrupted' as const, reserve: 10 }
    const lease = await theirs.sessions.takeOver(over)
    if (!lease) return false
    const events = [{ ...createCompletedEvent(lease), sequenceNumber: lease.eventSequence }]
    await theirs.sessions.append(lease, createBatch(lease, { events }))
    return true
  })
}

/** A database whose connections can be broken in all the ways in which they break. */
async function openOverLine() {
  const url = new URL(fresh.databaseUrl)
  const port = Number(url.port)
  const pairs = new Set<{ readonly inner: Socket; readonly outer: Socket }>()
  let isOpen = true
  let losesAnswers = false
  const server = createServer((inner) => {
    inner.on('error', () => {})
    if (!isOpen) {
      inner.destroy()
      return
    }
    const outer = connect(port, '127.0.0.1').on('error', () => {})
    const pair = { inner, outer }
    pairs.add(pair)
    inner.on('data', (data) => outer.write(data))
    outer.on('data', (data) => losesAnswers || inner.write(data))
    outer.on('close', () => inner.destroy())
    inner.on('close', () => pairs.has(pair) && outer.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const { inner, outer } of pairs) {
      inner.destroy()
      outer.destroy()
    }
    losesAnswers = false
  }
  const address = server.address()
  url.port = String(typeof address === 'object' ? address?.port : '')
  const ours = await openDatabase({ databaseUrl: url.href })
  onTestFinished(async () => {
    await ours.close()
    cut()
    server.close()
  })
  return {
    ours,
    line: {
      /** Requests arrive, answers do not. */
      loseAnswers: () => void (losesAnswers = true),
      /** Both sides see that their connections have ended. */
      cut,
      close() {
        isOpen = false
        cut()
      },
      open: () => void (isOpen = true),
      /** Only we see that our connections have ended: the server keeps its own. */
      leave() {
        const left = [...pairs]
        pairs.clear()
        for (const { inner } of left) inner.destroy()
        onTestFinished(() => {
          for (const { outer } of left) outer.destroy()
        })
      },
    },
  }
}
