import { images, pdf, type Vendor } from './vendor.ts'

export const openai: Vendor = {
  namespace: 'openai',
  media: [images(15), pdf(30)],
  mediaInResults: true,
  // The conversation is ours to keep: reasoning comes back encrypted instead of being stored at the vendor.
  // Its strict mode refuses most schemas that people write; answers are checked here all the same.
  options: { openai: { store: false, strictJsonSchema: false } },
  thinksSilently: true,
  async open({ apiKey, baseUrl }, modelId, fetch) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) }).responses(modelId)
  },
}
