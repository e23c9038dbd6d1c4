import { type ConfigFile, PROVIDER_KINDS, ProviderKind } from '@parley/contracts'
import { expect, test } from 'vitest'
import { readEnvironment } from '../environment.ts'
import { mergeConfigLayers } from './merge-config.ts'
import { listProviders } from './configured-providers.ts'

const KEY = 'made-up-key'

const given = (config: ConfigFile, environment: Record<string, string> = {}) =>
  listProviders(
    mergeConfigLayers([{ source: 'config.toml', config, reach: 'own' }]),
    readEnvironment(environment),
  )

test('[S11] the offline provider always exists', () => {
  expect(given({})).toEqual([{ name: 'offline', kind: 'offline', source: 'built in' }])
})

const KEY_VARIABLES = ProviderKind.options.flatMap((kind) => {
  const { keyVariable } = PROVIDER_KINDS[kind]
  return keyVariable ? [[keyVariable, kind] as const] : []
})

test.each(KEY_VARIABLES)('[S11] %s adds its provider', (variable, kind) => {
  const source = variable
  const [provider] = given({}, { [variable]: KEY })
  expect(provider).toEqual({ name: kind, kind, apiKey: KEY, apiKeyName: variable, source })
  expect(given({}, { [variable]: '' })).toHaveLength(1)
})

test('[S11] a configured provider has the settings of the config', () => {
  const models = { m: { context_window: 9, price: { input: 1, output: 2, cached_input: 3, cache_write: 4 } } }
  const providers = {
    local: { kind: 'openai-compatible' as const, base_url: 'http://127.0.0.1:1/v1', models },
    work: { kind: 'anthropic' as const, api_key_env: 'WORK_KEY' },
    openai: { kind: 'openai' as const },
  }
  expect(given({ providers }, { WORK_KEY: KEY })).toEqual([
    {
      name: 'local',
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:1/v1',
      models: {
        m: { contextWindow: 9, price: { input: 1, output: 2, cachedInput: 3, cacheWrite: 4 } },
      },
      source: 'config.toml',
    },
    { name: 'work', kind: 'anthropic', apiKey: KEY, apiKeyName: 'WORK_KEY', source: 'config.toml' },
    { name: 'openai', kind: 'openai', apiKeyName: 'OPENAI_API_KEY', source: 'config.toml' },
    { name: 'offline', kind: 'offline', source: 'built in' },
  ])
})

test('[S11] the URL in the environment overrides the file, only for the provider of that name', () => {
  const base_url = 'https://file.example.org'
  const providers = {
    openai: { kind: 'openai' as const, base_url },
    other: { kind: 'openai' as const, base_url },
  }
  const found = given({ providers }, { OPENAI_BASE_URL: 'http://localhost:9/v1' })
  expect(found.map(({ baseUrl }) => baseUrl)).toEqual(['http://localhost:9/v1', base_url, undefined])
})

test.each(['http://example.org/v1', 'ftp://example.org', 'not a URL', 'https://a:b@example.org'])(
  '[S11] an unsafe URL is refused: %s',
  (address) => {
    const environment = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: address }
    expect(() => given({}, environment)).toThrow(/^The environment variable ANTHROPIC_BASE_URL must be /)
  },
)
