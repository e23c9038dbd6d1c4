import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PersonId, ReflectionId, Source } from '@parley/contracts'
import type { ModelEvent, ModelPort } from '@parley/engine'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { type Database, openDatabase, openLearning } from '@parley/postgres'
import { type FreshDatabase, freshDatabase } from '@parley/postgres/testing'
import { createJobHandlers } from './handlers.ts'
import { startRebuildChecks, startWorkerProcess } from './start-worker-process.ts'

let fresh: FreshDatabase
let database: Database
let owner: PersonId
beforeAll(async () => {
  fresh = await freshDatabase()
  database = await openDatabase(fresh)
  owner = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const logger = pino({ level: 'silent' })

async function startWorker(given: Partial<Parameters<typeof startWorkerProcess>[0]> = {}) {
  const worker = await startWorkerProcess({ databaseUrl: fresh.databaseUrl, logger, ...given })
  onTestFinished(() => worker.stop())
}

async function newReflection(): Promise<ReflectionId> {
  const { id } = await database.reflections.create({ displayName: 'Ada Winter', ownerId: owner })
  return id
}

const add = (reflectionId: ReflectionId, title: string, text: string, mediaType = 'text/plain') =>
  database.reflections.addSource(
    reflectionId,
    { title, namespace: 'general', bytes: Buffer.from(text), mediaType },
    owner,
  )

const patiently = { timeout: 50_000, interval: 100 }
const stateOf = async (reflectionId: ReflectionId, { id }: Source) =>
  (await database.reflections.findSource(reflectionId, id))?.state

const liveOf = async (reflectionId: ReflectionId) =>
  JSON.stringify((await database.runtime.readPromoted(reflectionId))?.artifacts ?? '')

describe('a worker', () => {
  test('[K4] learns sources from before and after its start', async () => {
    const reflectionId = await newReflection()
    const before = await add(reflectionId, 'Before', 'I live in Oslo.')
    await startWorker()
    const after = await add(reflectionId, 'After', 'My boat is called Wanda.')
    for (const source of [before, after]) {
      await expect.poll(() => stateOf(reflectionId, source), patiently).toBe('completed')
    }
    const { items } = await database.reflections.listFacts(reflectionId, { limit: 10, state: 'active' })
    expect(items.map(({ object }) => object)).toEqual(expect.arrayContaining(['Oslo', 'Wanda']))
  })

  test('[K4] a file that nobody can read fails with what to do, and the next is learned', async () => {
    const reflectionId = await newReflection()
    await startWorker()
    const picture = await add(reflectionId, 'Picture', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png')
    const letter = await add(reflectionId, 'Letter', 'I live in Oslo.')
    await expect.poll(() => stateOf(reflectionId, picture), patiently).toBe('failed')
    await expect.poll(() => stateOf(reflectionId, letter), patiently).toBe('completed')
    const source = await database.reflections.findSource(reflectionId, picture.id)
    expect(source?.problem).toMatch(/\w/)
  })

  test('[K3] makes a patch of a correction, which waits', async () => {
    const { reflections } = database
    const reflectionId = await newReflection()
    await startWorker()
    const source = await add(reflectionId, 'Letter', 'I live in Oslo.')
    await expect.poll(() => stateOf(reflectionId, source), patiently).toBe('completed')
    const correction = { fact: 'Ada Winter lives in Oslo', correction: 'I live in Bergen.' }
    const { patchId } = await reflections.proposeCorrection(reflectionId, correction, owner)
    const status = async () => (await reflections.findPatch(reflectionId, patchId))?.status
    await expect.poll(status, patiently).toBe('proposed')
  })

  test('[K6] shows a model no secret that is known', async () => {
    const reflectionId = await newReflection()
    const model = createScriptedModel([createAnswerScript('')])
    await startWorker({ model, mask: (text) => text.replaceAll('made-up-secret', '[secret]') })
    const source = await add(reflectionId, 'Letter', 'The word is made-up-secret. I live in Oslo.')
    await expect.poll(() => stateOf(reflectionId, source), patiently).toBe('completed')
    const sent = JSON.stringify(model.asked)
    expect(sent).toContain('The word is [secret].')
    expect(sent).not.toContain('made-up-secret')
  })

  test('[P1] [K6] lets a model write the narrative from known facts; rules write it if the model fails', async () => {
    const reflectionId = await newReflection()
    const byRules = await startWorkerProcess({ databaseUrl: fresh.databaseUrl, logger })
    await add(reflectionId, 'Letter', 'I live in Oslo. I like rowing. My boat is called Secretina.')
    await expect.poll(() => liveOf(reflectionId), patiently).toContain('Secretina')
    await byRules.stop()

    const told = 'Ada Winter lives in Oslo and likes rowing.'
    const answer = `${JSON.stringify({ sentence: told, lines: [1, 3] })}
      ${JSON.stringify({ sentence: 'Ada Winter is a queen.', lines: [1] })}`
    const error = { code: 'provider_unavailable', message: 'made up', retryable: false } as const
    const broken: ModelEvent = { type: 'failure', error }
    // The model also gets other reflections of this database.
    const asked: string[] = []
    let isThere = true
    const model: ModelPort = {
      ...createScriptedModel([]),
      async *stream(request) {
        const question = JSON.stringify(request)
        const isOfHer = question.includes('[secret]')
        if (isOfHer) asked.push(question)
        yield* isOfHer && isThere ? createAnswerScript(answer) : [broken]
      },
    }
    const narrative = async () =>
      (await database.runtime.readPromoted(reflectionId))?.artifacts.reflection_voice_dossier.private
        .narrative
    await startWorker({ model, mask: (text) => text.replaceAll('Secretina', '[secret]') })
    await database.reflections.publish(reflectionId, ['general'], owner)
    await expect.poll(narrative, patiently).toBe(told)
    expect(asked.join()).not.toContain('Secretina')
    isThere = false
    await add(reflectionId, 'Note', 'I like pears.')
    await expect.poll(narrative, patiently).toContain('Secretina')
  })

  test('two at once learn each source once', async () => {
    const reflectionId = await newReflection()
    const sources = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        add(reflectionId, `Note ${index}`, `My boat ${index} is called Wanda ${index}.`),
      ),
    )
    await startWorker()
    await startWorker()
    for (const source of sources) {
      await expect.poll(() => stateOf(reflectionId, source), patiently).toBe('completed')
    }
    const { items } = await database.reflections.listPatches(reflectionId, { limit: 50 })
    const patched = items.map(({ sourceId }) => sourceId)
    expect(new Set(patched).size).toBe(patched.length)
  })

  test('[P1] [P11] builds the artifacts after each change of their input', async () => {
    const reflectionId = await newReflection()
    await startWorker()
    await expect.poll(() => liveOf(reflectionId), patiently).toContain('Ada Winter')
    const source = await add(reflectionId, 'Letter', 'I live in Oslo.')
    await expect.poll(() => liveOf(reflectionId), patiently).toContain('Oslo')
    const publicOf = async () =>
      JSON.stringify(
        (await database.runtime.readPromoted(reflectionId))?.artifacts.prompt_packs.public_emerging,
      )
    expect(await publicOf()).not.toContain('Oslo')
    await database.reflections.publish(reflectionId, ['general'], owner)
    await expect.poll(publicOf, patiently).toContain('Oslo')
    await database.reflections.unpublish(reflectionId, ['general'], owner)
    await expect.poll(publicOf, patiently).not.toContain('Oslo')
    await database.reflections.removeSource(reflectionId, source.id, owner)
    await expect.poll(() => liveOf(reflectionId), patiently).not.toContain('Oslo')
  })

  test('removes a source with its facts, and a reflection', async () => {
    const reflectionId = await newReflection()
    await startWorker()
    const source = await add(reflectionId, 'Letter', 'I live in Oslo.')
    await expect.poll(() => stateOf(reflectionId, source), patiently).toBe('completed')
    await database.reflections.removeSource(reflectionId, source.id, owner)
    await expect.poll(() => stateOf(reflectionId, source), patiently).toBeUndefined()
    expect((await database.reflections.listFacts(reflectionId, { limit: 10 })).items).toEqual([])
    await database.reflections.remove(reflectionId, owner)
    expect(await database.reflections.find(reflectionId)).toBeUndefined()
  })
})

test('a job that was given up leaves its source failed, with why', async () => {
  const reflectionId = await newReflection()
  const source = await add(reflectionId, 'Letter', 'I live in Oslo.')
  const stores = openLearning(fresh)
  onTestFinished(() => stores.close())
  const handlers = createJobHandlers({ ...stores, logger })
  await handlers.gaveUp('ingest-source', { sourceId: source.id }, 'the disk is full')
  expect(await database.reflections.findSource(reflectionId, source.id)).toMatchObject({
    state: 'failed',
    problem: expect.stringContaining('the disk is full'),
  })
  await expect(
    handlers.gaveUp('remove-reflection', { reflectionId }, 'the disk is full'),
  ).resolves.toBeUndefined()
})

test('[P11] a worker requests missing builds repeatedly, also after failures, until it stops', async () => {
  const asked: string[] = []
  const thrice = Promise.withResolvers<void>()
  const requestMissingBuilds = async (when: string) => {
    asked.push(when)
    if (asked.length === 3) thrice.resolve()
    throw new Error('The database is away')
  }
  const kept = startRebuildChecks({ requestMissingBuilds }, pino({ level: 'silent' }), 1)
  await thrice.promise
  await kept.stop()
  expect(new Set(asked)).toEqual(new Set(['periodically']))
})
