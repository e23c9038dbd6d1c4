import type { Embedder } from '../ports/embedder.ts'

/** Shows the model what is left of texts once they are masked. */
export const maskedEmbedder = (embedder: Embedder, mask: (text: string) => string): Embedder => ({
  model: embedder.model,
  embed: (texts, signal) => embedder.embed(texts.map(mask), signal),
})
