/** Turns texts into vectors that lie near each other where the texts mean the like. */
export interface Embedder {
  /** Vectors of one model are compared with those of no other. */
  readonly model: string
  /** A vector a text, in order, all of one length. Throws a `PlatformError` where there are none to be had. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}
