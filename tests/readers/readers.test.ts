import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent } from '@parley/contracts'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { killProcess, readFirstLine, startScript } from '../support/child-process.ts'
import { OWNER_TOKEN } from '../support/call-api.ts'
import { recordFigures } from '../support/record-figures.ts'
import type { ApiProcessInput } from './api-process.ts'
import { omitStreamedText, readEvents, toTurns } from './event-reader.ts'

const READERS = Number(process.env['PARLEY_READERS'] ?? 40)

test(
  `[S6][X4] ${READERS} readers of two API processes end with the same events after one process is killed`,
  { timeout: 180_000 },
  async (context) => {
    const { databaseUrl, drop } = await freshDatabase()
    const home = await mkdtemp(join(tmpdir(), 'parley-readers-'))
    onTestFinished(async () => {
      await drop()
      await rm(home, { recursive: true, force: true })
    })
    const input: ApiProcessInput = { databaseUrl, home, ownerToken: OWNER_TOKEN, steps: 2, words: 150 }
    const [first, second] = await Promise.all([startProcess(input), startProcess(input)])
    const { sessionId } = await call<{ sessionId: string }>(first.url, '/v1/sessions', { channel: 'text' })
    const path = `/v1/sessions/${sessionId}`
    const say = (server: string, text: string) =>
      call<{ turnId: string }>(server, `${path}/messages`, { text })
    const servers = [first.url, second.url]

    let lastTurn: string | undefined
    const isLast = (event: SessionEvent) =>
      event.type === 'session:turn_completed' && event.turnId === lastTurn
    const source = { path: `${path}/events`, token: OWNER_TOKEN, servers: () => servers }
    const readings = Array.from({ length: READERS }, (_, index) =>
      readEvents(
        source,
        { pauseMs: index % 3 === 0 ? 40 : 0, disconnectsAfter: index % 10 === 0 ? 30 : 100_000 },
        isLast,
      ),
    )
    const watch = (until: (event: SessionEvent) => boolean) =>
      readEvents({ ...source, servers: () => [second.url] }, { pauseMs: 0, disconnectsAfter: 100_000 }, until)

    const { turnId: answered } = await say(first.url, 'What do you see?')
    await watch((event) => event.type === 'session:turn_completed' && event.turnId === answered)
    const { turnId: broken } = await say(first.url, 'And now?')
    // The second process gets this text from the first one: it is not stored yet.
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
    expect(whole.map(summariseEvent)).toContain(`session:turn_completed ${broken} error`)
    expect(toTurns(whole)).toHaveLength(3)
    for (const { events } of read) {
      expect(omitStreamedText(events)).toEqual(omitStreamedText(whole))
      expect(toTurns(events)).toEqual(toTurns(whole))
    }
    const connections = read.reduce((sum, reading) => sum + reading.connections, 0)
    expect(connections).toBeGreaterThan(2 * READERS)
    const live = read.filter(({ events }) => events.filter(({ type }) => type === 'agent:token').length > 100)
    expect(live.length, 'readers that got words while they were generated').toBeGreaterThan(READERS / 4)
    recordFigures(
      context,
      `${READERS} readers, ${connections} connections, ${live.length} got words while they were generated`,
    )
  },
)

async function startProcess(input: ApiProcessInput) {
  const child = startScript(new URL('api-process.ts', import.meta.url), input)
  onTestFinished(() => killProcess(child))
  return { url: await readFirstLine(child), kill: () => killProcess(child) }
}

async function call<T>(server: string, path: string, body: object): Promise<T> {
  const response = await fetch(`${server}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.ok, `${path} ${response.status}`).toBe(true)
  return (await response.json()) as T
}

const summariseEvent = (event: SessionEvent) =>
  event.type === 'session:turn_completed' ? `${event.type} ${event.turnId} ${event.stopReason}` : event.type
