import { describe, expect, test } from 'vitest'
import { createProviders } from '../providers.ts'
import type { ProviderKind } from '@parley/contracts'
import type { ProviderSettings } from '../settings.ts'
import type { ModelFacts } from '../vendors/vendor.ts'
import { KINDS } from '../testing/vendor-cases.ts'
import { VENDORS } from '../vendors/vendors.ts'

const known = (
  kind: ProviderKind,
  id: string,
  models: Readonly<Record<string, ModelFacts>> = {},
  given: Partial<ProviderSettings> = { apiKey: 'made-up-key' },
) => {
  const settings = { name: 'mine', kind, models, ...given }
  const { contextWindow, price } = createProviders([settings]).openModel('mine', id)
  return { contextWindow, price }
}

test('[S11] a price is in micro-cents per million tokens', () => {
  expect(known('anthropic', 'claude-sonnet-4-6')).toEqual({
    contextWindow: 1_000_000,
    price: { input: 300_000_000, output: 1_500_000_000, cachedInput: 30_000_000, cacheWrite: 375_000_000 },
  })
})

test.each<[ProviderKind, string, string]>([
  ['anthropic', 'claude-sonnet-4-6-20260101', 'claude-sonnet-4-6'],
  ['anthropic', 'claude-opus-4-20250514', 'claude-opus-4'],
  ['anthropic', 'claude-opus-4-0', 'claude-opus-4'],
  ['openai', 'gpt-5-2025-08-07', 'gpt-5'],
  ['openai', 'gpt-5-mini-2025-08-07', 'gpt-5-mini'],
  ['google', 'models/gemini-2.5-flash', 'gemini-2.5-flash'],
  ['google', 'gemini-2.5-flash-lite-preview-06-17', 'gemini-2.5-flash-lite'],
  ['google', 'gemini-2.0-flash-001', 'gemini-2.0-flash'],
])('[S11] %s: %s has the price of %s', (kind, dated, plain) => {
  expect(known(kind, plain).price).toBeDefined()
  expect(known(kind, dated)).toEqual(known(kind, plain))
})

test.each<[ProviderKind, string]>([
  ['anthropic', 'claude-sonnet-9'],
  ['openai', 'gpt-5-codex-max'],
  ['openai', 'gpt-5.4-pro'],
  ['google', 'gemini-2.5-flash-image'],
])('[S11] %s: the price of %s is unknown, not zero', (kind, id) => {
  expect(known(kind, id)).toEqual({ contextWindow: undefined, price: undefined })
})

const FREE = { input: 0, output: 0 }
const HERE = 'http://127.0.0.1:9/v1'

test.each<[string, Partial<ProviderSettings>, typeof FREE | undefined]>([
  ['a server on this machine is free', { baseUrl: HERE }, FREE],
  ['an empty key counts as no key', { baseUrl: HERE, apiKey: '' }, FREE],
  ['a server with a key may call a paid API', { baseUrl: HERE, apiKey: 'made-up-key' }, undefined],
  ['the price of another server is unknown', { baseUrl: 'https://models.example/v1' }, undefined],
])('[S11] %s', (_, given, price) => {
  expect(known('openai-compatible', 'm', {}, given).price).toEqual(price)
})

test('[S11] the person sets the price of a local server with a key', () => {
  const price = { input: 1, output: 2 }
  const given = { baseUrl: HERE, apiKey: 'made-up-key' }
  expect(known('openai-compatible', 'm', { m: { price } }, given).price).toEqual(price)
})

test('[S11] the person’s settings override the price list', () => {
  const price = { input: 1, output: 2 }
  expect(known('openai', 'gpt-5', { 'gpt-5': { price } })).toEqual({ contextWindow: 400_000, price })
  expect(known('openai', 'gpt-5', { 'gpt-5': { contextWindow: 7 } })).toMatchObject({
    contextWindow: 7,
    price: { input: 125_000_000 },
  })
})

const LISTS = KINDS.flatMap((kind) => {
  const { prices } = VENDORS[kind]
  return prices ? [[kind, prices] as const] : []
})

test('[S11] every vendor with an address of its own has a price list', () => {
  expect(LISTS.map(([kind]) => kind)).toEqual(KINDS.filter((kind) => VENDORS[kind].baseUrl))
})

describe.each(LISTS)('[S11] the price list of %s', (kind, { asOf, source, models }) => {
  test('has a date and a source', () => {
    expect(asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(source).not.toBe('')
  })

  test.each(Object.keys(models))(
    '%s has whole prices; output costs more than input, and cached input less',
    (id) => {
      const { contextWindow = 0, price = { input: 0, output: 0 } } = known(kind, id)
      expect(contextWindow).toBeGreaterThanOrEqual(100_000)
      expect(Object.values(price).every(Number.isSafeInteger)).toBe(true)
      expect(price.output).toBeGreaterThan(price.input)
      expect(price.cachedInput).toBeLessThan(price.input)
    },
  )
})
