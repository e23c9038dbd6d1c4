import { images, pdf, type Vendor } from './vendor.ts'

export const google: Vendor = {
  namespace: 'google',
  // A request with inline bytes may have 20 MB.
  media: [images(14), pdf(14)],
  mediaInResults: true,
  options: {},
  // Only where thinking is asked for: a model that cannot think refuses the setting.
  thinkingOptions: { google: { thinkingConfig: { includeThoughts: true } } },
  thinksSilently: true,
  async open({ apiKey, baseUrl }, modelId, fetch) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI({ baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) }).languageModel(
      modelId,
    )
  },
}
