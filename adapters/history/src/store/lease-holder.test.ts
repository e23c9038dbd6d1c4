import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Lease } from '@parley/engine'
import { expect, onTestFinished, test } from 'vitest'
import { openHistory } from '../index.ts'
import { freshHome, KEY } from '../testing/fresh-home.ts'
import { firstLine, historyProcess } from '../testing/history-process.ts'
import { answer, batch, event, opening, startSession } from '../testing/turns.ts'
import { isAlive, newLeaseHolder } from './lease-holder.ts'

test('[S4] the turn of a killed process is over at once: its message is kept, its numbers are not used again', async () => {
  const home = await freshHome()
  const { store, close } = await openHistory({ home, key: KEY })
  const sessionId = await startSession(store)
  const { child, outcome } = await historyProcess({ home, key: KEY, act: { kind: 'begin', sessionId } })
  const lost = outcome.result as Lease
  expect(await store.find(sessionId)).toMatchObject({ runningTurnId: lost.turnId, lastSequence: 2 })
  await expect(store.begin(opening(sessionId))).rejects.toMatchObject({
    code: 'session_busy',
    detail: { turnId: lost.turnId },
  })

  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await store.find(sessionId)).not.toHaveProperty('runningTurnId')
  const lease = await store.begin(opening(sessionId, 'Again'))
  expect(lease).toMatchObject({
    epoch: lost.epoch + 1,
    turnNumber: 2,
    messageSequence: 2,
    fromSequence: lost.eventSequence + 1,
    eventSequence: lost.reservedUpTo + 1,
  })
  expect(await store.readTail(sessionId, 10)).toMatchObject([
    { content: [{ text: 'Hello' }] },
    { content: [{ text: 'Again' }] },
  ])
  expect((await store.readEvents(sessionId, { after: 2, limit: 10 }))[0]).toMatchObject({
    fromSequence: 3,
    sequenceNumber: 103,
  })
  const late = store.append(lost, batch({ messages: [answer(sessionId, 3)] }))
  await expect(late).rejects.toMatchObject({ code: 'session_busy' })
  close()
})

test('[S2] a store that is closed gives up its turns, and the stores beside it keep theirs', async () => {
  const home = await freshHome()
  const [first, second] = [await openHistory({ home, key: KEY }), await openHistory({ home, key: KEY })]
  const [given, kept] = [await startSession(first.store), await startSession(first.store)]
  await first.store.begin(opening(given))
  await second.store.begin(opening(kept))
  first.close()
  const third = await openHistory({ home, key: KEY })
  await expect(third.store.begin(opening(kept))).rejects.toMatchObject({ code: 'session_busy' })
  expect(await third.store.begin(opening(given))).toMatchObject({ messageSequence: 2, fromSequence: 3 })
  second.close()
  third.close()
})

test('[S2] a turn whose end could not be written does not keep the next one waiting', async () => {
  const { store, close } = await openHistory({ home: await freshHome(), key: KEY })
  const id = await startSession(store)
  const lease = await store.begin(opening(id))
  const taken = store.append(lease, batch({ events: [event(3), event(3)], release: true }))
  await expect(taken).rejects.toMatchObject({ code: 'session_busy' })
  expect(await store.find(id)).not.toHaveProperty('runningTurnId')
  expect(await store.begin(opening(id))).toMatchObject({ epoch: lease.epoch + 1, fromSequence: 3 })
  close()
})

test('a holder is alive while its process is', async () => {
  expect(isAlive(newLeaseHolder())).toBe(true)
  const child = spawn('sleep', ['60'])
  const holder = `${child.pid}::abc`
  expect(isAlive(holder)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isAlive(holder)).toBe(false)
})

test('a process that was given the same id later is not the holder', () => {
  expect(isAlive(`${process.pid}:1:abc`)).toBe(false)
})

test('a process that has ended is not alive because its parent has not noticed', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const pid = Number(await firstLine(parent.stdout))
  const stat = () => readFile(`/proc/${pid}/stat`, 'utf8')
  const holder = `${pid}:${(await stat()).split(' ')[21]}:abc`
  expect(isAlive(holder)).toBe(true)
  process.kill(pid, 'SIGKILL')
  const deadline = Date.now() + 10_000
  while (!(await stat()).includes(') Z ') && Date.now() < deadline) await delay(5)
  expect(isAlive(holder)).toBe(false)
})
