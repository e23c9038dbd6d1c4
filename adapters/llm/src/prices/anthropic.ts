import type { ListedPrice, PriceList } from './price-list.ts'

/** Keeping for five minutes costs a quarter more than input, reading what was kept a tenth of it. */
const at = (contextWindow: number, input: number, output: number): ListedPrice => ({
  contextWindow,
  input,
  output,
  cachedInput: input / 10,
  cacheWrite: input * 1.25,
})

export const ANTHROPIC_PRICES: PriceList = {
  asOf: '2026-09-29',
  source: 'model pages of platform.claude.com, undated; the day is the one of the newest row',
  models: {
    'claude-fable-5-1': at(1_000_000, 10, 50),
    'claude-opus-5-5': at(1_000_000, 4, 20),
    'claude-opus-5': at(1_000_000, 5, 25),
    'claude-opus-4-6': at(1_000_000, 5, 25),
    'claude-sonnet-5-5': at(1_000_000, 2, 10),
    'claude-sonnet-5': at(1_000_000, 2, 10),
    'claude-sonnet-4-6': at(1_000_000, 3, 15),
    'claude-sonnet-4-5': at(200_000, 3, 15),
    'claude-haiku-4-5': at(200_000, 1, 5),
    // From here on recalled, not read: check before relying on it.
    'claude-opus-4-7': at(1_000_000, 5, 25),
    'claude-opus-4-5': at(200_000, 5, 25),
    'claude-opus-4-1': at(200_000, 15, 75),
    'claude-opus-4': at(200_000, 15, 75),
    'claude-sonnet-4': at(200_000, 3, 15),
    'claude-3-7-sonnet': at(200_000, 3, 15),
    'claude-3-5-haiku': at(200_000, 0.8, 4),
  },
}
