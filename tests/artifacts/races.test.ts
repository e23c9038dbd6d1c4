import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { LedgerEntry, ReflectionId, StoredGeneration } from '@parley/contracts'
import { type Database, openDatabase, openLearning } from '@parley/postgres'
import { type FreshDatabase, freshDatabase } from '@parley/postgres/testing'
import { rebuildVoice, verifyLedger } from '@parley/reflections'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../../apps/api/src/node-host.ts'
import { killProcess, readFirstLine, startScript } from '../support/child-process.ts'
import { recordFigures } from '../support/record-figures.ts'
import type { BuilderInput } from './worker.ts'

const REBUILDS = 50
/** `npm run soak` asks for more. */
const KILLS = Number(process.env['PARLEY_REBUILD_KILLS'] ?? 4)
const ALL = { limit: 100_000 }

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

async function startWorker(reflectionId: ReflectionId): Promise<ChildProcess> {
  const input: BuilderInput = { databaseUrl: fresh.databaseUrl, reflectionId }
  const child = startScript(new URL('worker.ts', import.meta.url), input)
  workers.push(child)
  await readFirstLine(child)
  return child
}

/** The promoted generation is always the highest approved one. */
async function checkPromoted(id: ReflectionId): Promise<{ entries: readonly LedgerEntry[]; live: number }> {
  const { items, live = 0 } = await database.runtime.readLedger(id, ALL)
  const approved = items.filter(({ stage, reasons }) => stage === 'evaluated' && reasons.length === 0)
  expect(live).toBe(Math.max(0, ...approved.map(({ generation }) => generation)))
  return { entries: items.toReversed(), live }
}

test(
  `[P9] [X4] after ${REBUILDS} concurrent rebuilds and ${KILLS} kills the highest approved generation is promoted, and the ledger verifies`,
  { timeout: 120_000 + KILLS * 10_000 },
  async (context) => {
    const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
    const { id } = await database.reflections.create({ displayName: 'Ada Winter', ownerId })
    const running = [await startWorker(id), await startWorker(id)]
    let served = 0
    for (let killed = 0, looked = 0; ; looked += 1) {
      const { entries, live } = await checkPromoted(id)
      expect(live).toBeGreaterThanOrEqual(served)
      served = live
      const finished = entries.filter(({ stage }) => !['candidate', 'evaluated'].includes(stage))
      if (killed >= KILLS && finished.length >= REBUILDS) break
      await database.reflections[looked % 2 === 0 ? 'publish' : 'unpublish'](id, ['general'], ownerId)
      await pause(randomInt(20, 100))
      if (looked % 3 !== 0 || killed >= KILLS) continue
      const [victim] = running.splice(randomInt(running.length), 1)
      if (victim) await killProcess(victim)
      killed += 1
      running.push(await startWorker(id))
    }
    await Promise.all(running.map(killProcess))
    // A dead worker's transaction may still be committing. The next build waits for it.
    const learning = openLearning(fresh)
    expect(['promoted', 'unchanged']).toContain(await rebuildVoice(id, learning.artifacts, sha256))
    await learning.close()

    const { entries, live } = await checkPromoted(id)
    expect(new Set(entries.map(({ stage }) => stage))).toEqual(
      new Set(['candidate', 'evaluated', 'promoted', 'rejected', 'outrun']),
    )
    const stored = new Map<number, StoredGeneration | undefined>()
    for (const { generation } of entries) {
      if (!stored.has(generation))
        stored.set(generation, await database.runtime.readGeneration(id, generation))
    }
    const ledger = { reflectionId: id, entries, live }
    expect(verifyLedger(ledger, (generation) => stored.get(generation), sha256)).toEqual([])
    const { namespaces = [] } = (await database.reflections.find(id)) ?? {}
    expect(stored.get(live)?.publishedNamespaces).toEqual(
      namespaces.filter(({ isPublished }) => isPublished).map(({ name }) => name),
    )
    const promoted = await database.runtime.readPromoted(id)
    expect(promoted).toEqual({ generation: live, artifacts: stored.get(live)?.artifacts })
    recordFigures(context, `${KILLS} kills, ${entries.length} entries in a valid ledger`)
  },
)
