import { afterAll, beforeAll, expect, test } from 'vitest'
import { createElevenLabsProvider } from './index.ts'
import { replyWithJson, startVendorServer, type VendorServer } from './testing/vendor-server.ts'

let vendor: VendorServer
beforeAll(async () => {
  vendor = await startVendorServer()
})
afterAll(() => vendor.close())

const { signal } = new AbortController()

test('[V9] all voices are listed, and cloned voices are marked', async () => {
  vendor.script(
    replyWithJson({
      voices: [{ voice_id: 'v1', name: 'Rachel', category: 'premade', description: 'Calm' }],
      has_more: true,
      total_count: 0,
      next_page_token: 'more',
    }),
    replyWithJson({
      voices: [
        { voice_id: 'v2', name: 'Ada', category: 'cloned' },
        { voice_id: 'v3', category: 'professional' },
      ],
      has_more: false,
      total_count: 0,
    }),
  )
  const provider = createElevenLabsProvider({ apiKey: 'made-up', baseUrl: vendor.url })
  expect(await provider.listVoices(signal)).toEqual([
    { voiceId: 'v1', name: 'Rachel', description: 'Calm', kind: 'stock' },
    { voiceId: 'v2', name: 'Ada', kind: 'clone' },
    { voiceId: 'v3', name: 'v3', kind: 'clone' },
  ])
  expect(vendor.requests[1]?.path).toContain('next_page_token=more')
})
