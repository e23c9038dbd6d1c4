import type { ListedPrice, PriceList } from './price-list.ts'

const at = (contextWindow: number, input: number, cachedInput: number, output: number): ListedPrice => ({
  contextWindow,
  input,
  cachedInput,
  output,
})

export const OPENAI_PRICES: PriceList = {
  asOf: '2026-10-13',
  source:
    'others who quote the standard tier of OpenAI, not its own page; where a longer request costs more, the window ends there',
  models: {
    'gpt-6.1-sol': { ...at(272_000, 2, 0.1, 10), cacheWrite: 2.5 },
    'gpt-6-sol': { ...at(272_000, 2, 0.2, 10), cacheWrite: 2.5 },
    'gpt-5.5': at(272_000, 5, 0.5, 30),
    'gpt-5.4': at(272_000, 2.5, 0.25, 15),
    'gpt-5.4-mini': at(400_000, 0.75, 0.075, 4.5),
    'gpt-5.4-nano': at(400_000, 0.2, 0.02, 1.25),
    // From here on recalled, not read: check before relying on it.
    'gpt-5.2': at(400_000, 1.75, 0.175, 14),
    'gpt-5.1': at(400_000, 1.25, 0.125, 10),
    'gpt-5': at(400_000, 1.25, 0.125, 10),
    'gpt-5-mini': at(400_000, 0.25, 0.025, 2),
    'gpt-5-nano': at(400_000, 0.05, 0.005, 0.4),
    'gpt-4.1': at(1_047_576, 2, 0.5, 8),
    'gpt-4.1-mini': at(1_047_576, 0.4, 0.1, 1.6),
    'gpt-4.1-nano': at(1_047_576, 0.1, 0.025, 0.4),
    'gpt-4o': at(128_000, 2.5, 1.25, 10),
    'gpt-4o-mini': at(128_000, 0.15, 0.075, 0.6),
    o3: at(200_000, 2, 0.5, 8),
    'o4-mini': at(200_000, 1.1, 0.275, 4.4),
  },
}
