import { images, pdf, type Vendor } from './vendor.ts'

export const anthropic: Vendor = {
  namespace: 'anthropic',
  // Limits are on base64, which is a third longer than the bytes.
  media: [images(3.7), pdf(23)],
  mediaInResults: true,
  options: {},
  keepPrompt: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  thinksBeforeCalls: true,
  async open({ apiKey, baseUrl }, modelId, fetch) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) }).languageModel(modelId)
  },
}
