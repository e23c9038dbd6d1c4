import type { IngestRunId } from '@parley/contracts'

/** A chunk, by its run and its place in it. */
export interface ChunkKey {
  readonly runId: IngestRunId
  readonly ordinal: number
}

export interface BareChunk extends ChunkKey {
  readonly text: string
}

export interface ChunkEmbedding extends ChunkKey {
  readonly vector: Float32Array
}

/** Stores one vector per chunk, beside the text index. */
export interface EmbeddingsStore {
  /** Does the work, unless another worker is at it: the same text is not paid for twice. */
  alone(work: () => Promise<void>): Promise<'done' | 'busy'>
  /**
   * Chunks that are searched and have no vector of this model, in order, after the given one. None where the database
   * cannot keep vectors.
   */
  missing(model: string, after: ChunkKey | undefined, limit: number): Promise<readonly BareChunk[]>
  /** A chunk that is gone by now is passed over; a vector of another model is replaced. */
  save(model: string, embeddings: readonly ChunkEmbedding[]): Promise<void>
}

/** Turns texts into vectors that lie near each other where the texts mean the like. */
export interface Embedder {
  /** Vectors of one model are compared with those of no other. */
  readonly model: string
  /** A vector a text, in order, all of one length. Throws a `PlatformError` where the model fails. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}
