import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Lease } from '@parley/engine'
import { createBatch, createStoredEvent } from '@parley/engine/testing'
import { openHistory } from '../index.ts'
import { KEY, createTestHome, openRaw } from '../testing/fresh-home.ts'
import { readFirstLine, startHistoryProcess } from '../testing/history-process.ts'
import { startStoreProcess } from '../testing/store-process.ts'
import { createAnswer, createNewTurn, startSession } from '../testing/turns.ts'
import { isHolderAlive, createLeaseHolder } from './own-turns.ts'
import { createSqliteSessionStore } from './sqlite-session-store.ts'

test('[S4] the turn of a killed process is interrupted at once: its message stays, and its numbers are not used again', async () => {
  const home = await createTestHome()
  const { store, close } = await openHistory({ home, key: KEY })
  const sessionId = await startSession(store)
  const { child, outcome } = await startHistoryProcess({ home, key: KEY, act: { kind: 'begin', sessionId } })
  const lost = outcome.result as Lease
  const { turnId } = lost
  expect(await store.find(sessionId)).toMatchObject({ openTurn: { turnId, state: 'running' } })

  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await store.find(sessionId)).toMatchObject({ openTurn: { turnId, state: 'interrupted' } })
  await expect(store.beginTurn(createNewTurn(sessionId))).rejects.toMatchObject({
    code: 'session_busy',
    detail: { turnId },
  })
  expect(await store.readTail(sessionId, 10)).toMatchObject([{ content: [{ text: 'Hello' }] }])
  const lease = await store.takeOver({ sessionId, turnId, state: 'interrupted', reserve: 100 })
  expect(lease).toMatchObject({
    epoch: lost.epoch + 1,
    turnNumber: 1,
    lastMessageNumber: 1,
    openingEventNumber: lost.eventSequence,
    fromSequence: lost.eventSequence + 1,
    eventSequence: lost.reservedUpTo + 1,
  })
  const late = store.append(lost, createBatch({ messages: [createAnswer(sessionId, 2)] }))
  await expect(late).rejects.toMatchObject({ code: 'session_busy' })
  close()
})

test('[S2] a closed store gives up its turns; other stores keep theirs', async () => {
  const home = await createTestHome()
  const [first, second] = [await openHistory({ home, key: KEY }), await openHistory({ home, key: KEY })]
  const [given, kept] = [await startSession(first.store), await startSession(first.store)]
  const { turnId } = await first.store.beginTurn(createNewTurn(given))
  await second.store.beginTurn(createNewTurn(kept))
  first.close()
  const third = await openHistory({ home, key: KEY })
  expect((await third.store.find(kept))?.openTurn?.state).toBe('running')
  expect((await third.store.find(given))?.openTurn?.state).toBe('interrupted')
  const over = { sessionId: given, turnId, state: 'interrupted' as const, reserve: 100 }
  expect(await third.store.takeOver(over)).toMatchObject({ lastMessageNumber: 1, fromSequence: 3 })
  second.close()
  third.close()
})

test('[S2] a turn whose end could not be written is interrupted for everyone, until its holder tries again', async () => {
  const home = await createTestHome()
  const [{ store, close }, other] = [
    await openHistory({ home, key: KEY }),
    await openHistory({ home, key: KEY }),
  ]
  const id = await startSession(store)
  const lease = await store.beginTurn(createNewTurn(id))
  const { turnId } = lease
  const taken = store.append(
    lease,
    createBatch({ events: [createStoredEvent(3), createStoredEvent(3)], lease: 'ended' }),
  )
  await expect(taken).rejects.toMatchObject({ code: 'session_busy' })
  store.giveUpLease(lease)
  for (const seen of [store, other.store])
    expect((await seen.find(id))?.openTurn).toEqual({ turnId, state: 'interrupted' })
  await store.append(lease, createBatch({ events: [createStoredEvent(3)], lease: 'ended' }))
  expect(await other.store.find(id)).not.toHaveProperty('openTurn')
  other.close()
  close()
})

test('[S2] a holder cannot end its turn once another process has taken it over', async () => {
  const { store, close } = await openHistory({ home: await createTestHome(), key: KEY })
  const sessionId = await startSession(store)
  const lease = await store.beginTurn(createNewTurn(sessionId))
  const wrong = createBatch({ events: [createStoredEvent(3), createStoredEvent(3)], lease: 'ended' })
  await expect(store.append(lease, wrong)).rejects.toMatchObject({ code: 'session_busy' })
  store.giveUpLease(lease)
  const { turnId } = lease
  const over = await store.takeOver({ sessionId, turnId, state: 'interrupted', reserve: 10 })
  const late = store.append(lease, createBatch({ events: [createStoredEvent(3)], lease: 'ended' }))
  await expect(late).rejects.toMatchObject({ code: 'session_busy' })
  expect((await store.find(sessionId))?.openTurn).toEqual({ turnId, state: 'running' })
  expect(over).toMatchObject({ epoch: lease.epoch + 1, fromSequence: 3 })
  close()
})

test('[S2] a store that can neither end nor give up its turn does not show it as running', async () => {
  const { path, close } = await openHistory({ home: await createTestHome(), key: KEY })
  const store = createSqliteSessionStore(openRaw(path))
  const id = await startSession(store)
  const lease = await store.beginTurn(createNewTurn(id))
  const blocker = openRaw(path)
  blocker.exec('begin immediate')
  const ended = store.append(lease, createBatch({ events: [createStoredEvent(3)], lease: 'ended' }))
  await expect(ended).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  store.giveUpLease(lease)
  expect((await store.find(id))?.openTurn?.state).toBe('interrupted')
  blocker.close()
  expect(await store.listInterrupted(10)).toEqual([{ sessionId: id, turnId: lease.turnId }])
  store.close()
  close()
})

test('[S2] a turn is cancelled from another process', async () => {
  const home = await createTestHome()
  const { store, close } = await openHistory({ home, key: KEY })
  onTestFinished(close)
  const sessionId = await startSession(store)
  const lease = await store.beginTurn(createNewTurn(sessionId))
  const asked = new Promise<void>((resolve) => store.watchCancel(lease, resolve))
  const far = await startStoreProcess(home, KEY)
  expect(await far.store.requestCancel({ sessionId, turnId: lease.turnId })).toBe(true)
  await asked
})

test('[S2] a turn that no process runs cannot be cancelled', async () => {
  const home = await createTestHome()
  const { store, close } = await openHistory({ home, key: KEY })
  onTestFinished(close)
  const sessionId = await startSession(store)
  const far = await startStoreProcess(home, KEY)
  const { turnId } = await far.store.beginTurn(createNewTurn(sessionId))
  await far.die()
  expect(await store.requestCancel({ sessionId, turnId })).toBe(false)
})

test('a holder is alive as long as its process', async () => {
  expect(isHolderAlive(createLeaseHolder())).toBe(true)
  const child = spawn('sleep', ['60'])
  const holder = `${child.pid}::abc`
  expect(isHolderAlive(holder)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isHolderAlive(holder)).toBe(false)
})

test('a process that got the same id later is not the holder', () => {
  expect(isHolderAlive(`${process.pid}:1:abc`)).toBe(false)
})

test('a process that ended is dead even if its parent has not noticed', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const pid = Number(await readFirstLine(parent.stdout))
  const stat = () => readFile(`/proc/${pid}/stat`, 'utf8')
  const holder = `${pid}:${(await stat()).split(' ')[21]}:abc`
  expect(isHolderAlive(holder)).toBe(true)
  process.kill(pid, 'SIGKILL')
  const deadline = Date.now() + 10_000
  while (!(await stat()).includes(') Z ') && Date.now() < deadline) await delay(5)
  expect(isHolderAlive(holder)).toBe(false)
})
