import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import type { Provider, VendorKind } from '../settings.ts'

export type OpenEmbeddingModel = (
  provider: Provider,
  modelId: string,
  fetch: typeof globalThis.fetch,
) => Promise<EmbeddingModelV4>

/** How each vendor's models that make vectors are opened; the library is loaded on first use. */
export const EMBEDDING_VENDORS: Record<VendorKind, OpenEmbeddingModel | undefined> = {
  // Has none.
  anthropic: undefined,
  async openai({ apiKey, baseUrl }, modelId, fetch) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) }).embeddingModel(modelId)
  },
  async google({ apiKey, baseUrl }, modelId, fetch) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const google = createGoogleGenerativeAI({ baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) })
    return google.embeddingModel(modelId)
  },
  async 'openai-compatible'({ apiKey, baseUrl }, modelId, fetch) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const settings = { name: 'compatible', baseURL: baseUrl, fetch }
    return createOpenAICompatible({ ...settings, ...(apiKey && { apiKey }) }).embeddingModel(modelId)
  },
}
