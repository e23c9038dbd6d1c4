import { PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ConfiguredProvider } from '../config/configured-providers.ts'
import { listChoices } from './local-slash-host.ts'

const provider = (given: Partial<ConfiguredProvider>): ConfiguredProvider => ({
  name: 'local',
  kind: 'openai-compatible',
  source: 'config.toml',
  ...given,
})

const listing = (count: number) => ({
  listModels: async () => Array.from({ length: count }, (_, index) => ({ id: `m${index}` })),
})

test('models of the config and of the provider are listed once each', async () => {
  const choices = await listChoices([provider({ models: { m1: {}, mine: {} } })], listing(2), 'local/m0')
  expect(choices).toEqual([
    { name: 'local/m1', inUse: false },
    { name: 'local/mine', inUse: false },
    { name: 'local/m0', inUse: true },
  ])
})

test('an unlisted current model is first', async () => {
  expect(await listChoices([provider({})], listing(1), 'gone/x')).toEqual([
    { name: 'gone/x', inUse: true },
    { name: 'local/m0', inUse: false },
  ])
})

test('a long list is cut, with a hint for the rest; the current model is always listed', async () => {
  const choices = await listChoices([provider({})], listing(100), 'local/m70')
  expect(choices).toHaveLength(32)
  expect(choices).toContainEqual({ name: 'local/m70', inUse: true })
  expect(choices.at(-1)).toMatchObject({ note: 'and 69 more; `parley providers models local` lists them' })
})

const listModels = async (name: string) => {
  if (name === 'local') return [{ id: 'm0' }]
  throw new PlatformError('provider_unavailable', { message: 'Nothing listens there.' })
}

test('a provider without a response or a key says so and hides no other', async () => {
  const providers = [
    provider({ name: 'openai', apiKeyName: 'OPENAI_API_KEY' }),
    provider({ name: 'down', models: { known: {} } }),
    provider({}),
  ]
  expect(await listChoices(providers, { listModels }, 'local/m0')).toEqual([
    { name: 'openai', inUse: false, note: 'OPENAI_API_KEY missing' },
    { name: 'down/known', inUse: false },
    { name: 'down', inUse: false, note: 'Nothing listens there.' },
    { name: 'local/m0', inUse: true },
  ])
})
