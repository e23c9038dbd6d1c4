import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fact, ReflectionId, Source } from '@parley/contracts'
import { type Database, openDatabase } from '@parley/postgres'
import { type FreshDatabase, freshDatabase } from '@parley/postgres/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { killProcess, readFirstLine, startScript } from '../support/child-process.ts'
import { recordFigures } from '../support/record-figures.ts'

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
  await Promise.all(workers.map(killProcess))
  workers = []
  await database.close()
  await fresh.drop()
})

async function startWorker(): Promise<ChildProcess> {
  const child = startScript(new URL('worker.ts', import.meta.url), { databaseUrl: fresh.databaseUrl })
  workers.push(child)
  await readFirstLine(child)
  return child
}

/** A long text, so that the import takes some time, with one unique fact. */
const createText = (index: number) =>
  `${'The water was calm, and nobody came by. '.repeat(400)}\n\nMy boat is called ${createBoatName(index)}.\n`

const createBoatName = (index: number) =>
  `${['Wan', 'Al', 'Ber', 'Cor', 'Del', 'El', 'Fre', 'Ger'][index % 8]}${['da', 'ma', 'tha', 'nia', 'ra'][Math.floor(index / 8)]}`

const listSources = async (reflectionId: ReflectionId): Promise<readonly Source[]> =>
  (await database.reflections.listSources(reflectionId, { limit: SOURCES })).items

test(
  '[K4] [X4] after random kills of two workers every source is imported, and no fact is duplicated',
  { timeout: 240_000 + KILLS * 20_000 },
  async (context) => {
    const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
    const { id } = await database.reflections.create({ displayName: 'Ada Winter', ownerId })
    for (let index = 0; index < SOURCES; index += 1) {
      const bytes = Buffer.from(createText(index))
      const source = { title: `Note ${index}`, namespace: 'general', bytes, mediaType: 'text/plain' }
      await database.reflections.addSource(id, source, ownerId)
    }
    const running = [await startWorker(), await startWorker()]
    for (let killed = 0; killed < KILLS; killed += 1) {
      await pause(randomInt(50, 400))
      const [victim] = running.splice(randomInt(running.length), 1)
      if (victim) await killProcess(victim)
      running.push(await startWorker())
    }
    await expect
      .poll(async () => (await listSources(id)).filter(({ state }) => state !== 'completed'), {
        timeout: 200_000 + KILLS * 15_000,
        interval: 500,
      })
      .toEqual([])
    expect(await listSources(id)).toHaveLength(SOURCES)

    const facts: Fact[] = []
    let cursor: string | undefined
    do {
      const page = await database.reflections.listFacts(id, {
        limit: 100,
        state: 'active',
        ...(cursor !== undefined && { cursor }),
      })
      facts.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    const names = Array.from({ length: SOURCES }, (_, index) => createBoatName(index))
    const boats = facts.map(({ object }) => object).filter((object) => names.includes(object))
    expect(boats.toSorted()).toEqual(names.toSorted())
    recordFigures(context, `${KILLS} kills of workers, ${SOURCES} sources imported once each`)
  },
)
