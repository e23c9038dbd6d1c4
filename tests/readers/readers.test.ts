import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SessionEvent } from '@parley/contracts'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { recordFigures } from '../support/record-figures.ts'
import type { ApiGiven } from './api-process.ts'
import { readEvents, storedOf, transcriptOf } from './event-reader.ts'

const READERS = Number(process.env['PARLEY_READERS'] ?? 40)
const TOKEN = 'made-up-token-of-the-owner'

test(
  `[S6][X4] ${READERS} readers of two API processes, one of which is killed, end with the same`,
  { timeout: 180_000 },
  async (context) => {
    const { databaseUrl, drop } = await freshDatabase()
    const home = await mkdtemp(join(tmpdir(), 'parley-readers-'))
    onTestFinished(async () => {
      await drop()
      await rm(home, { recursive: true, force: true })
    })
    const given: ApiGiven = { databaseUrl, home, ownerToken: TOKEN, steps: 2, words: 150 }
    const [first, second] = await Promise.all([startProcess(given), startProcess(given)])
    const { sessionId } = await call<{ sessionId: string }>(first.url, '/v1/sessions', { channel: 'text' })
    const path = `/v1/sessions/${sessionId}`
    const say = (server: string, text: string) =>
      call<{ turnId: string }>(server, `${path}/messages`, { text })
    const servers = [first.url, second.url]

    let lastTurn: string | undefined
    const isLast = (event: SessionEvent) =>
      event.type === 'session:turn_completed' && event.turnId === lastTurn
    const source = { path: `${path}/events`, token: TOKEN, servers: () => servers }
    const readings = Array.from({ length: READERS }, (_, index) =>
      readEvents(
        source,
        { dawdleMs: index % 3 === 0 ? 40 : 0, dropsAfter: index % 10 === 0 ? 30 : 100_000 },
        isLast,
      ),
    )
    const watch = (until: (event: SessionEvent) => boolean) =>
      readEvents({ ...source, servers: () => [second.url] }, { dawdleMs: 0, dropsAfter: 100_000 }, until)

    const { turnId: answered } = await say(first.url, 'What do you see?')
    await watch((event) => event.type === 'session:turn_completed' && event.turnId === answered)
    const { turnId: broken } = await say(first.url, 'And now?')
    // The second process hears of the turn while it runs in the first: text that no store has yet.
    await watch(
      (event) => event.type === 'agent:token' && event.turnId === broken && event.token.includes('.99 '),
    )
    servers.shift()
    await first.kill()
    await watch((event) => event.type === 'session:turn_completed' && event.turnId === broken)
    const { turnId } = await say(second.url, 'Still there?')
    lastTurn = turnId

    const read = await Promise.all(readings)
    const { events: whole } = await watch(isLast)
    expect(whole.map(short)).toContain(`session:turn_completed ${broken} error`)
    expect(transcriptOf(whole)).toHaveLength(3)
    for (const { events } of read) {
      expect(storedOf(events)).toEqual(storedOf(whole))
      expect(transcriptOf(events)).toEqual(transcriptOf(whole))
    }
    const connections = read.reduce((sum, reading) => sum + reading.connections, 0)
    expect(connections).toBeGreaterThan(2 * READERS)
    const live = read.filter(({ events }) => events.filter(({ type }) => type === 'agent:token').length > 100)
    expect(live.length, 'readers that heard words as they came').toBeGreaterThan(READERS / 4)
    recordFigures(
      context,
      `${READERS} readers, ${connections} connections, ${live.length} heard words as they came`,
    )
  },
)

async function startProcess(given: ApiGiven) {
  const script = fileURLToPath(new URL('api-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GIVEN: JSON.stringify(given) },
  })
  onTestFinished(() => kill(child))
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { url, kill: () => kill(child) }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

async function call<T>(server: string, path: string, body: object): Promise<T> {
  const response = await fetch(`${server}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.ok, `${path} ${response.status}`).toBe(true)
  return (await response.json()) as T
}

const short = (event: SessionEvent) =>
  event.type === 'session:turn_completed' ? `${event.type} ${event.turnId} ${event.stopReason}` : event.type
