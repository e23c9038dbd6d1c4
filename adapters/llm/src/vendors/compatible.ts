import { images, pdf, type Vendor } from './vendor.ts'

/** The library calls its own by the provider's name; one name for all keeps a config's names out of requests. */
const NAMESPACE = 'compatible'

export const compatible: Vendor = {
  namespace: NAMESPACE,
  media: [images(15), pdf(15)],
  options: {},
  async open({ apiKey, baseUrl }, modelId, fetch) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const settings = { name: NAMESPACE, baseURL: baseUrl, includeUsage: true, fetch }
    return createOpenAICompatible({ ...settings, ...(apiKey && { apiKey }) }).languageModel(modelId)
  },
}
