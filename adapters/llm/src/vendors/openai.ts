import { OPENAI_MODEL_LIST } from '../models/list-models.ts'
import { type HttpVendor, allowImages, toListedPrice, allowPdf, type Provider } from './vendor.ts'

export const openai: HttpVendor = {
  transport: 'http',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  needsKey: true,
  models: OPENAI_MODEL_LIST,
  failures: { otherKind: { pattern: /Chat Completions stream while using/, kind: 'openai-compatible' } },
  languageModel: {
    optionsKey: 'openai',
    media: [allowImages(15), allowPdf(30)],
    mediaInResults: true,
    signatureKeys: { reasoning: ['itemId', 'reasoningEncryptedContent'], text: [] },
    // We keep the conversation: reasoning comes back encrypted instead of being stored at the vendor.
    // The strict mode refuses most schemas that people write; we check the answers ourselves.
    options: { openai: { store: false, strictJsonSchema: false } },
    thinksSilently: true,
    open: async (provider, modelId, fetch) => (await connect(provider, fetch)).responses(modelId),
  },
  openEmbeddingModel: async (provider, modelId, fetch) =>
    (await connect(provider, fetch)).embeddingModel(modelId),
  prices: {
    asOf: '2026-10-13',
    source: 'quotes of the standard tier of OpenAI by third parties',
    models: {
      'gpt-6.1-sol': { ...toListedPrice(272_000, 2, 0.1, 10), cacheWrite: 2.5 },
      'gpt-6-sol': { ...toListedPrice(272_000, 2, 0.2, 10), cacheWrite: 2.5 },
      'gpt-5.5': toListedPrice(272_000, 5, 0.5, 30),
      'gpt-5.4': toListedPrice(272_000, 2.5, 0.25, 15),
      'gpt-5.4-mini': toListedPrice(400_000, 0.75, 0.075, 4.5),
      'gpt-5.4-nano': toListedPrice(400_000, 0.2, 0.02, 1.25),
      // The prices below are from memory: check them before you rely on them.
      'gpt-5.2': toListedPrice(400_000, 1.75, 0.175, 14),
      'gpt-5.1': toListedPrice(400_000, 1.25, 0.125, 10),
      'gpt-5': toListedPrice(400_000, 1.25, 0.125, 10),
      'gpt-5-mini': toListedPrice(400_000, 0.25, 0.025, 2),
      'gpt-5-nano': toListedPrice(400_000, 0.05, 0.005, 0.4),
      'gpt-4.1': toListedPrice(1_047_576, 2, 0.5, 8),
      'gpt-4.1-mini': toListedPrice(1_047_576, 0.4, 0.1, 1.6),
      'gpt-4.1-nano': toListedPrice(1_047_576, 0.1, 0.025, 0.4),
      'gpt-4o': toListedPrice(128_000, 2.5, 1.25, 10),
      'gpt-4o-mini': toListedPrice(128_000, 0.15, 0.075, 0.6),
      o3: toListedPrice(200_000, 2, 0.5, 8),
      'o4-mini': toListedPrice(200_000, 1.1, 0.275, 4.4),
    },
  },
}

async function connect({ apiKey, baseUrl }: Provider, fetch: typeof globalThis.fetch) {
  const { createOpenAI } = await import('@ai-sdk/openai')
  return createOpenAI({ baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) })
}
