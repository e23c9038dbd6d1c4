import { expect, test } from 'vitest'
import { type ErrorCode, type IngestRunId, PlatformError } from '@parley/contracts'
import type { BareChunk, Embedder, EmbeddingsStore } from '../ports/embeddings-store.ts'
import { embedChunks } from './embed-chunks.ts'

const RUN = 'run_1' as IngestRunId

/** Chunks in memory, some with a vector. */
function createStore(texts: readonly string[]) {
  const chunks: readonly BareChunk[] = texts.map((text, index) => ({ runId: RUN, ordinal: index + 1, text }))
  const vectors = new Map<number, Float32Array>()
  const store: EmbeddingsStore = {
    async runExclusively(work) {
      await work()
      return 'done'
    },
    listMissing: async (_model, after, limit) =>
      chunks
        .filter(({ ordinal }) => ordinal > (after?.ordinal ?? 0) && !vectors.has(ordinal))
        .slice(0, limit),
    async save(_model, embeddings) {
      for (const { ordinal, vector } of embeddings) vectors.set(ordinal, vector)
    },
  }
  return { store, vectors }
}

/** Throws for texts with one of these words. */
function createRefusingEmbedder(codes: Readonly<Record<string, ErrorCode>>) {
  const requests: (readonly string[])[] = []
  const embedder: Embedder = {
    model: 'local/any',
    async embed(texts) {
      requests.push(texts)
      const code = Object.entries(codes).find(([word]) => texts.some((text) => text.includes(word)))?.[1]
      if (code) throw new PlatformError(code)
      return texts.map((text) => Float32Array.of(text.length))
    },
  }
  return { embedder, requests }
}

const signal = new AbortController().signal
const many = (length: number) => Array.from({ length }, (_, n) => `chunk ${n + 1}`)

test('[K5] embeds all chunks in batches', async () => {
  const { store, vectors } = createStore(many(150))
  const { embedder, requests } = createRefusingEmbedder({})
  expect(await embedChunks({ store, embedder, signal })).toBe('done')
  expect(vectors.size).toBe(150)
  expect(vectors.get(9)).toEqual(Float32Array.of('chunk 9'.length))
  expect(requests.map((texts) => texts.length)).toEqual([64, 64, 22])
})

test('[K5] skips a chunk that the model refuses, and embeds all others', async () => {
  const { store, vectors } = createStore([...many(10), 'too long', ...many(100)])
  const { embedder } = createRefusingEmbedder({ long: 'validation' })
  await embedChunks({ store, embedder, signal })
  expect(vectors.size).toBe(110)
  expect(vectors.has(11)).toBe(false)
})

test.each<[string, ErrorCode, number]>([
  ['stops early if the model refuses every chunk', 'validation', 4],
  ['does not retry an unavailable provider', 'provider_unavailable', 1],
])('[K5] %s', async (_, code, count) => {
  const { store, vectors } = createStore(many(150))
  const { embedder, requests } = createRefusingEmbedder({ chunk: code })
  await expect(embedChunks({ store, embedder, signal })).rejects.toMatchObject({ code })
  expect(vectors.size).toBe(0)
  expect(requests).toHaveLength(count)
})

test('[K5] stops with the worker', async () => {
  const stopping = new AbortController()
  const { store, vectors } = createStore(many(150))
  const { embedder } = createRefusingEmbedder({})
  const embed: Embedder['embed'] = (texts, within) => {
    stopping.abort()
    return embedder.embed(texts, within)
  }
  const host = { store, embedder: { ...embedder, embed }, signal: stopping.signal }
  await expect(embedChunks(host)).rejects.toThrow('aborted')
  expect(vectors.size).toBe(64)
})
