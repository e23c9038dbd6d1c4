import { PlatformError } from '@parley/contracts'
import type { BareChunk, ChunkKey, Embedder, EmbeddingsStore } from '../ports/embeddings-store.ts'

const CHUNKS_AT_ONCE = 64
/** After this many consecutive refusals, the cause is not the chunks' content. */
const MAX_REFUSALS = 3

export interface EmbedHost {
  readonly store: EmbeddingsStore
  readonly embedder: Embedder
  readonly signal: AbortSignal
}

/** Creates the missing vectors of searchable chunks. Finished batches are kept, and the next call continues. */
export function embedChunks(host: EmbedHost): Promise<'done' | 'busy'> {
  const { store, embedder, signal } = host
  return store.runExclusively(async () => {
    let after: ChunkKey | undefined
    for (;;) {
      if (signal.aborted) throw signal.reason
      const chunks = await store.listMissing(embedder.model, after, CHUNKS_AT_ONCE)
      const last = chunks.at(-1)
      if (!last) return
      try {
        await embedBatch(chunks, host)
      } catch (failure) {
        if (!isRefusal(failure)) throw failure
        await embedOneByOne(chunks, host)
      }
      after = last
    }
  })
}

async function embedBatch(
  chunks: readonly BareChunk[],
  { store, embedder, signal }: EmbedHost,
): Promise<void> {
  const texts = chunks.map(({ text }) => text)
  const vectors = await embedder.embed(texts, signal)
  const embeddings = chunks.flatMap(({ runId, ordinal }, index) => {
    const vector = vectors[index]
    return vector ? [{ runId, ordinal, vector }] : []
  })
  await store.save(embedder.model, embeddings)
}

/** Skips chunks that the model refuses. They can only be found by their words. */
async function embedOneByOne(chunks: readonly BareChunk[], host: EmbedHost): Promise<void> {
  let refusals = 0
  for (const chunk of chunks) {
    try {
      await embedBatch([chunk], host)
      refusals = 0
    } catch (failure) {
      refusals += 1
      if (!isRefusal(failure) || refusals === MAX_REFUSALS) throw failure
    }
  }
}

const isRefusal = (failure: unknown): boolean =>
  failure instanceof PlatformError && (failure.code === 'validation' || failure.code === 'content_filter')

/** Masks texts before the model gets them. */
export const createMaskedEmbedder = (embedder: Embedder, mask: (text: string) => string): Embedder => ({
  model: embedder.model,
  embed: (texts, signal) => embedder.embed(texts.map(mask), signal),
})
