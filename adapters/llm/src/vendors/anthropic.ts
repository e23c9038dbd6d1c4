import { readModelPage } from '../models/list-models.ts'
import { type HttpVendor, allowImages, type ListedPrice, allowPdf } from './vendor.ts'

/** Writing to the five-minute cache costs a quarter more than input; reading from it costs a tenth. */
const toAnthropicPrice = (contextWindow: number, input: number, output: number): ListedPrice => ({
  contextWindow,
  input,
  output,
  cachedInput: input / 10,
  cacheWrite: input * 1.25,
})

export const anthropic: HttpVendor = {
  transport: 'http',
  title: 'Anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  needsKey: true,
  models: {
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    query: (after) => ({ limit: '1000', ...(after && { after_id: after }) }),
    readPage: readModelPage,
  },
  failures: { unreadable: /normalized Anthropic stream error/ },
  languageModel: {
    optionsKey: 'anthropic',
    // Limits are on base64, which is a third longer than the bytes.
    media: [allowImages(3.7), allowPdf(23)],
    mediaInResults: true,
    signatureKeys: { reasoning: ['signature', 'redactedData'], text: [] },
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    thinksBeforeCalls: true,
    async open({ apiKey, baseUrl }, modelId, fetch) {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) }).languageModel(modelId)
    },
  },
  prices: {
    asOf: '2026-09-29',
    source: 'model pages of platform.claude.com, which have no date',
    models: {
      'claude-fable-5-1': toAnthropicPrice(1_000_000, 10, 50),
      'claude-opus-5-5': toAnthropicPrice(1_000_000, 4, 20),
      'claude-opus-5': toAnthropicPrice(1_000_000, 5, 25),
      'claude-opus-4-6': toAnthropicPrice(1_000_000, 5, 25),
      'claude-sonnet-5-5': toAnthropicPrice(1_000_000, 2, 10),
      'claude-sonnet-5': toAnthropicPrice(1_000_000, 2, 10),
      'claude-sonnet-4-6': toAnthropicPrice(1_000_000, 3, 15),
      'claude-sonnet-4-5': toAnthropicPrice(200_000, 3, 15),
      'claude-haiku-4-5': toAnthropicPrice(200_000, 1, 5),
      // The prices below are from memory: check them before you rely on them.
      'claude-opus-4-7': toAnthropicPrice(1_000_000, 5, 25),
      'claude-opus-4-5': toAnthropicPrice(200_000, 5, 25),
      'claude-opus-4-1': toAnthropicPrice(200_000, 15, 75),
      'claude-opus-4': toAnthropicPrice(200_000, 15, 75),
      'claude-sonnet-4': toAnthropicPrice(200_000, 3, 15),
      'claude-3-7-sonnet': toAnthropicPrice(200_000, 3, 15),
      'claude-3-5-haiku': toAnthropicPrice(200_000, 0.8, 4),
    },
  },
}
