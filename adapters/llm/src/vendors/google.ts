import { readGoogleModelPage } from '../models/list-models.ts'
import { type HttpVendor, allowImages, toListedPrice, allowPdf, type Provider } from './vendor.ts'

/** Google reports a bad key and a wait in the body; a compatible server may forward them. */
export const GOOGLE_FAILURES = {
  badKey: /API_KEY_INVALID|api key not valid/i,
  retryDelay: /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/,
} as const

export const google: HttpVendor = {
  transport: 'http',
  title: 'Google',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  needsKey: true,
  models: {
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    query: (after) => ({ pageSize: '1000', ...(after && { pageToken: after }) }),
    readPage: readGoogleModelPage,
  },
  failures: GOOGLE_FAILURES,
  languageModel: {
    optionsKey: 'google',
    // A request with inline bytes may have 20 MB.
    media: [allowImages(14), allowPdf(14)],
    mediaInResults: true,
    signatureKeys: { reasoning: ['thoughtSignature'], text: ['thoughtSignature'] },
    // Only in requests for reasoning: a model that cannot think refuses the setting.
    thinkingOptions: { google: { thinkingConfig: { includeThoughts: true } } },
    thinksSilently: true,
    open: async (provider, modelId, fetch) => (await connect(provider, fetch)).languageModel(modelId),
  },
  openEmbeddingModel: async (provider, modelId, fetch) =>
    (await connect(provider, fetch)).embeddingModel(modelId),
  prices: {
    asOf: '2026-05-19',
    source: 'quotes of the paid tier of the Gemini API by third parties',
    models: {
      'gemini-3.5-flash': toListedPrice(1_048_576, 1.5, 0.15, 9),
      'gemini-3.1-pro': toListedPrice(200_000, 2, 0.2, 12),
      // The prices below are from memory: check them before you rely on them.
      'gemini-3-pro': toListedPrice(200_000, 2, 0.2, 12),
      'gemini-3-flash': toListedPrice(1_048_576, 0.5, 0.05, 3),
      'gemini-3.1-flash-lite': toListedPrice(1_048_576, 0.25, 0.025, 1.5),
      'gemini-2.5-pro': toListedPrice(200_000, 1.25, 0.125, 10),
      'gemini-2.5-flash': toListedPrice(1_048_576, 0.3, 0.03, 2.5),
      'gemini-2.5-flash-lite': toListedPrice(1_048_576, 0.1, 0.01, 0.4),
      'gemini-2.0-flash': toListedPrice(1_048_576, 0.1, 0.025, 0.4),
    },
  },
}

async function connect({ apiKey, baseUrl }: Provider, fetch: typeof globalThis.fetch) {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  return createGoogleGenerativeAI({ baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) })
}
