import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LedgerEntry, ReflectionId, StoredGeneration } from '@parley/contracts'
import { type Database, openDatabase, openLearning } from '@parley/postgres'
import { type FreshDatabase, freshDatabase } from '@parley/postgres/testing'
import { rebuildVoice, verifyLedger } from '@parley/reflections'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordFigures } from '../support/record-figures.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
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
  await Promise.all(workers.map(kill))
  workers = []
  await database.close()
  await fresh.drop()
})

async function startWorker(id: ReflectionId): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WORKER, fresh.databaseUrl, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  workers.push(child)
  await once(child.stdout, 'data')
  child.stdout.resume()
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** What serves is what was approved last by number, at whatever moment one looks. */
async function checkLive(id: ReflectionId): Promise<{ entries: readonly LedgerEntry[]; live: number }> {
  const { items, live = 0 } = await database.runtime.ledger(id, ALL)
  const approved = items.filter(({ stage, reasons }) => stage === 'evaluated' && reasons.length === 0)
  expect(live).toBe(Math.max(0, ...approved.map(({ generation }) => generation)))
  return { entries: items.toReversed(), live }
}

test(
  `[P9] [X4] ${REBUILDS} rebuilds and more that end in any order, with ${KILLS} kills: the highest that was approved serves, and the ledger verifies`,
  { timeout: 120_000 + KILLS * 10_000 },
  async (context) => {
    const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
    const { id } = await database.reflections.create({ displayName: 'Ada Winter', ownerId })
    const running = [await startWorker(id), await startWorker(id)]
    let served = 0
    for (let killed = 0, looked = 0; ; looked += 1) {
      const { entries, live } = await checkLive(id)
      expect(live).toBeGreaterThanOrEqual(served)
      served = live
      const settled = entries.filter(({ stage }) => !['candidate', 'evaluated'].includes(stage))
      if (killed >= KILLS && settled.length >= REBUILDS) break
      await database.reflections[looked % 2 === 0 ? 'publish' : 'unpublish'](id, ['general'], ownerId)
      await pause(randomInt(20, 100))
      if (looked % 3 !== 0 || killed >= KILLS) continue
      const [victim] = running.splice(randomInt(running.length), 1)
      if (victim) await kill(victim)
      killed += 1
      running.push(await startWorker(id))
    }
    await Promise.all(running.map(kill))
    // A transaction of the dead may still come to its end; the next build waits for it, and knows all there is.
    const learning = openLearning(fresh)
    expect(['promoted', 'unchanged']).toContain(await rebuildVoice(id, learning.artifacts, sha256))
    await learning.close()

    const { entries, live } = await checkLive(id)
    expect(new Set(entries.map(({ stage }) => stage))).toEqual(
      new Set(['candidate', 'evaluated', 'promoted', 'rejected', 'outrun']),
    )
    const stored = new Map<number, StoredGeneration | undefined>()
    for (const { generation } of entries) {
      if (!stored.has(generation)) stored.set(generation, await database.runtime.generation(id, generation))
    }
    const ledger = { reflectionId: id, entries, live }
    expect(verifyLedger(ledger, (generation) => stored.get(generation), sha256)).toEqual([])
    const { namespaces = [] } = (await database.reflections.find(id)) ?? {}
    expect(stored.get(live)?.publishedNamespaces).toEqual(
      namespaces.filter(({ isPublished }) => isPublished).map(({ name }) => name),
    )
    const promoted = await database.runtime.promoted(id)
    expect(promoted).toEqual({ generation: live, artifacts: stored.get(live)?.artifacts })
    recordFigures(context, `${KILLS} kills in ${entries.length} entries of a ledger that verifies`)
  },
)
