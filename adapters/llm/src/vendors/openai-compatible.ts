import { OPENAI_MODEL_LIST } from '../models/list-models.ts'
import { GOOGLE_FAILURES } from './google.ts'
import { type HttpVendor, allowImages, allowPdf, type Provider } from './vendor.ts'

/** The library uses the provider's name by default; one fixed name keeps a config's names out of requests. */
const OPTIONS_KEY = 'compatible'

export const openaiCompatible: HttpVendor = {
  transport: 'http',
  title: 'an OpenAI-compatible server',
  needsKey: false,
  isSelfHosted: true,
  models: OPENAI_MODEL_LIST,
  failures: GOOGLE_FAILURES,
  languageModel: {
    optionsKey: OPTIONS_KEY,
    media: [allowImages(15), allowPdf(15)],
    // Google's own compatible server signs.
    signatureKeys: { reasoning: ['thoughtSignature'], text: ['thoughtSignature'] },
    open: async (provider, modelId, fetch) => (await connect(provider, fetch)).languageModel(modelId),
  },
  openEmbeddingModel: async (provider, modelId, fetch) =>
    (await connect(provider, fetch)).embeddingModel(modelId),
}

async function connect({ apiKey, baseUrl }: Provider, fetch: typeof globalThis.fetch) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const settings = { name: OPTIONS_KEY, baseURL: baseUrl, includeUsage: true, fetch }
  return createOpenAICompatible({ ...settings, ...(apiKey && { apiKey }) })
}
