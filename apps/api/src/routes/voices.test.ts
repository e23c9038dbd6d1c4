import { PlatformError, type ProviderVoice } from '@parley/contracts'
import { scriptedModel } from '@parley/engine/testing'
import type { VoiceProvider } from '@parley/reflections'
import { expect, test } from 'vitest'
import type { Services } from '../services.ts'
import { testApi, tokenOf } from '../testing/test-api.ts'

const VOICES: readonly ProviderVoice[] = [{ voiceId: 'slt', name: 'Slt', kind: 'stock' }]

const speaking = (listVoices: VoiceProvider['listVoices']) => ({
  voice: { provider: { listVoices } as VoiceProvider } as NonNullable<Services['voice']>,
})

test.each<[string, Parameters<typeof testApi>[1], number, unknown]>([
  ['the provider’s voices are listed', speaking(async () => VOICES), 200, { items: VOICES }],
  ['none are where nothing is spoken', {}, 200, { items: [] }],
  [
    'a provider that does not answer is named as what is wrong',
    speaking(() => Promise.reject(new PlatformError('provider_unavailable', { message: 'It is away.' }))),
    503,
    { code: 'provider_unavailable' },
  ],
])('%s', async (_, services, status, answer) => {
  const api = await testApi(scriptedModel([]), services)
  const response = await api.call('GET', '/v1/voices', { token: tokenOf('admin') })
  expect({ status: response.status, answer: await response.json() }).toMatchObject({ status, answer })
  await api.close()
})
