import type { ListedPrice, PriceList } from './price-list.ts'

const at = (contextWindow: number, input: number, cachedInput: number, output: number): ListedPrice => ({
  contextWindow,
  input,
  cachedInput,
  output,
})

export const GOOGLE_PRICES: PriceList = {
  asOf: '2026-05-19',
  source:
    'others who quote the paid tier of the Gemini API, not its own page; where a longer request costs more, the window ends there',
  models: {
    'gemini-3.5-flash': at(1_048_576, 1.5, 0.15, 9),
    'gemini-3.1-pro': at(200_000, 2, 0.2, 12),
    // From here on recalled, not read: check before relying on it.
    'gemini-3-pro': at(200_000, 2, 0.2, 12),
    'gemini-3-flash': at(1_048_576, 0.5, 0.05, 3),
    'gemini-3.1-flash-lite': at(1_048_576, 0.25, 0.025, 1.5),
    'gemini-2.5-pro': at(200_000, 1.25, 0.125, 10),
    'gemini-2.5-flash': at(1_048_576, 0.3, 0.03, 2.5),
    'gemini-2.5-flash-lite': at(1_048_576, 0.1, 0.01, 0.4),
    'gemini-2.0-flash': at(1_048_576, 0.1, 0.025, 0.4),
  },
}
