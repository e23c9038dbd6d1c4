import type { Embedder } from '@parley/knowledge'
import { openDatabase } from '@parley/postgres'
import { freshDatabase, PGVECTOR_URL, usePgvectorServer } from '@parley/postgres/testing'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startWorkerProcess } from './start-worker-process.ts'

const logger = pino({ level: 'silent' })
const patiently = { timeout: 50_000, interval: 100 }

const mask = (text: string) => text.replaceAll('made-up-secret', '[secret]')

/** The same vector for every text, and a record of the texts. */
function anyEmbedder() {
  const shown: string[] = []
  const embedder: Embedder = {
    model: 'local/any',
    async embed(texts) {
      shown.push(...texts)
      return texts.map(() => Float32Array.of(1, 0))
    },
  }
  return { embedder, shown }
}

describe.skipIf(!PGVECTOR_URL)('with pgvector', () => {
  test('[K5] a worker embeds old and new passages, masked', async () => {
    usePgvectorServer()
    const fresh = await freshDatabase()
    const database = await openDatabase(fresh)
    onTestFinished(async () => {
      await database.close()
      await fresh.drop()
    })
    const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
    const { id } = await database.reflections.create({ displayName: 'Ada Winter', ownerId })
    const add = (title: string, text: string) =>
      database.reflections.addSource(
        id,
        { title, namespace: 'general', bytes: Buffer.from(text), mediaType: 'text/plain' },
        ownerId,
      )

    const before = await add('Before', 'The word is made-up-secret.')
    const plain = await startWorkerProcess({ ...fresh, logger })
    const state = async () => (await database.reflections.findSource(id, before.id))?.state
    await expect.poll(state, patiently).toBe('completed')
    await plain.stop()

    const { embedder, shown } = anyEmbedder()
    const worker = await startWorkerProcess({ ...fresh, logger, embedder, mask })
    onTestFinished(() => worker.stop())
    await expect.poll(() => shown, patiently).toEqual(['The word is [secret].'])
    await add('After', 'My boat is called Wanda.')
    await expect.poll(() => shown, patiently).toEqual(['The word is [secret].', 'My boat is called Wanda.'])

    const { byVector } = database.retriever
    const search = { vector: Float32Array.of(1, 0), model: embedder.model, limit: 5 }
    const found = async () =>
      (await byVector?.searchPrivate(id, undefined, search, new AbortController().signal))?.evidence
    await expect.poll(found, patiently).toHaveLength(2)
  })
})
