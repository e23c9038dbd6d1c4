import type { Price } from '@parley/engine'
import type { ModelFacts, Provider, VendorKind } from '../settings.ts'
import { ANTHROPIC_PRICES } from './anthropic.ts'
import { GOOGLE_PRICES } from './google.ts'
import { OPENAI_PRICES } from './openai.ts'
import type { ListedPrice, PriceList } from './price-list.ts'

const LISTS: Partial<Record<VendorKind, PriceList>> = {
  anthropic: ANTHROPIC_PRICES,
  openai: OPENAI_PRICES,
  google: GOOGLE_PRICES,
}

const FREE: Price = { input: 0, output: 0 }

/** What is known of a model: what the person says of it, else our tables. An unknown price is left out, never zero. */
export function knownModel({ kind, isLocal, apiKey, models }: Provider, modelId: string): ModelFacts {
  const listed = listedPrice(kind, modelId)
  const isFree = kind === 'openai-compatible' && isLocal && !apiKey
  const facts = listed ? factsOf(listed) : isFree ? { price: FREE } : {}
  return { ...facts, ...models[modelId] }
}

/** What may follow a model's name without making it another model: a date or a revision. */
const REVISION = /^(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-\d{3}|-latest|-0|-preview(?:-\d{2}-\d{2,4})?)?$/

function listedPrice(kind: VendorKind, modelId: string): ListedPrice | undefined {
  const list = LISTS[kind]?.models ?? {}
  const id = modelId.replace(/^models\//, '')
  const names = Object.keys(list).filter(
    (name) => id.startsWith(name) && REVISION.test(id.slice(name.length)),
  )
  const longest = names.toSorted((a, b) => b.length - a.length)[0]
  return longest === undefined ? undefined : list[longest]
}

const factsOf = ({ contextWindow, input, output, cachedInput, cacheWrite }: ListedPrice): ModelFacts => ({
  contextWindow,
  price: {
    input: microcents(input),
    output: microcents(output),
    ...(cachedInput !== undefined && { cachedInput: microcents(cachedInput) }),
    ...(cacheWrite !== undefined && { cacheWrite: microcents(cacheWrite) }),
  },
})

const microcents = (dollars: number) => Math.round(dollars * 100_000_000)
