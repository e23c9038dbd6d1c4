import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Fact, ReflectionId, Source } from '@parley/contracts'
import { type Database, openDatabase } from '@parley/postgres'
import { type FreshDatabase, freshDatabase } from '@parley/postgres/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordFigures } from '../support/record-figures.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
const SOURCES = 40
const KILLS = Number(process.env['PARLEY_WORKER_KILLS'] ?? 2)

let fresh: FreshDatabase
let database: Database
let workers: ChildProcess[] = []

beforeEach(async () => {
  fresh = await freshDatabase()
  database = await openDatabase(fresh)
})

afterEach(async () => {
  await Promise.all(workers.map(kill))
  workers = []
  await database.close()
  await fresh.drop()
})

async function startWorker(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WORKER], {
    env: { ...process.env, GIVEN: fresh.databaseUrl },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  workers.push(child)
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Enough text to be killed in, around one thing that is said nowhere else. */
const textOf = (index: number) =>
  `${'The water was calm, and nobody came by. '.repeat(400)}\n\nMy boat is called ${nameOf(index)}.\n`

const nameOf = (index: number) =>
  `${['Wan', 'Al', 'Ber', 'Cor', 'Del', 'El', 'Fre', 'Ger'][index % 8]}${['da', 'ma', 'tha', 'nia', 'ra'][Math.floor(index / 8)]}`

const all = async (reflectionId: ReflectionId): Promise<readonly Source[]> =>
  (await database.reflections.sources(reflectionId, { limit: SOURCES })).items

test(
  '[K4] [X4] two workers, killed at random: no source is lost, no fact doubled, every run has its outcome',
  { timeout: 240_000 + KILLS * 20_000 },
  async (context) => {
    const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
    const { id } = await database.reflections.create({ displayName: 'Ada Winter', ownerId })
    for (let index = 0; index < SOURCES; index += 1) {
      const bytes = Buffer.from(textOf(index))
      const source = { title: `Note ${index}`, namespace: 'general', bytes, mediaType: 'text/plain' }
      await database.reflections.addSource(id, source, ownerId)
    }
    const running = [await startWorker(), await startWorker()]
    for (let killed = 0; killed < KILLS; killed += 1) {
      await pause(randomInt(50, 400))
      const [victim] = running.splice(randomInt(running.length), 1)
      if (victim) await kill(victim)
      running.push(await startWorker())
    }
    await expect
      .poll(async () => (await all(id)).filter(({ state }) => state !== 'completed'), {
        timeout: 200_000 + KILLS * 15_000,
        interval: 500,
      })
      .toEqual([])
    expect(await all(id)).toHaveLength(SOURCES)

    const facts: Fact[] = []
    let cursor: string | undefined
    do {
      const page = await database.reflections.facts(id, {
        limit: 100,
        state: 'active',
        ...(cursor !== undefined && { cursor }),
      })
      facts.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    const names = Array.from({ length: SOURCES }, (_, index) => nameOf(index))
    const boats = facts.map(({ object }) => object).filter((object) => names.includes(object))
    expect(boats.toSorted()).toEqual(names.toSorted())
    recordFigures(context, `${KILLS} kills of workers, ${SOURCES} sources learned once each`)
  },
)
