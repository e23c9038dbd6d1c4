import type { IngestRunId } from '@parley/contracts'

/** Identifies a chunk by its run and its position in the run. */
export interface ChunkKey {
  readonly runId: IngestRunId
  readonly ordinal: number
}

export interface BareChunk extends ChunkKey {
  readonly text: string
}

interface ChunkEmbedding extends ChunkKey {
  readonly vector: Float32Array
}

/** Stores one vector per chunk, beside the text index. */
export interface EmbeddingsStore {
  /** Runs the work unless another worker is running it, so no text is paid for twice. */
  runExclusively(work: () => Promise<void>): Promise<'done' | 'busy'>
  /**
   * Returns searchable chunks without a vector of this model, in order, after the given one. Returns none if the
   * database does not support vectors.
   */
  listMissing(model: string, after: ChunkKey | undefined, limit: number): Promise<readonly BareChunk[]>
  /** Skips chunks that no longer exist. Replaces vectors of other models. */
  save(model: string, embeddings: readonly ChunkEmbedding[]): Promise<void>
}

/** Turns texts into vectors. Similar texts get vectors that are close to each other. */
export interface Embedder {
  /** Only vectors of the same model are compared. */
  readonly model: string
  /** Returns one vector per text, in order, all of the same length. Throws a `PlatformError` if the model fails. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}
