import type { Price } from '@parley/engine'
import type { ListedPrice, ModelFacts, PriceList, Provider } from '../vendors/vendor.ts'

const FREE: Price = { input: 0, output: 0 }

/** The facts of a model: the person's settings first, then the vendor's price list. An unknown price is absent, never zero. */
export function findModelFacts({ vendor, isLocal, apiKey, models }: Provider, modelId: string): ModelFacts {
  const listed = vendor.prices && findPrice(vendor.prices, modelId)
  const isFree = vendor.isSelfHosted && isLocal && !apiKey
  const facts = listed ? toModelFacts(listed) : isFree ? { price: FREE } : {}
  return { ...facts, ...models[modelId] }
}

/** Suffixes, such as a date or a revision, that do not change the model. */
const REVISION = /^(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-\d{3}|-latest|-0|-preview(?:-\d{2}-\d{2,4})?)?$/

function findPrice({ models }: PriceList, modelId: string): ListedPrice | undefined {
  const id = modelId.replace(/^models\//, '')
  const names = Object.keys(models).filter(
    (name) => id.startsWith(name) && REVISION.test(id.slice(name.length)),
  )
  const longest = names.toSorted((a, b) => b.length - a.length)[0]
  return longest === undefined ? undefined : models[longest]
}

const toModelFacts = ({
  contextWindow,
  input,
  output,
  cachedInput,
  cacheWrite,
}: ListedPrice): ModelFacts => ({
  contextWindow,
  price: {
    input: toMicrocents(input),
    output: toMicrocents(output),
    ...(cachedInput !== undefined && { cachedInput: toMicrocents(cachedInput) }),
    ...(cacheWrite !== undefined && { cacheWrite: toMicrocents(cacheWrite) }),
  },
})

const toMicrocents = (dollars: number) => Math.round(dollars * 100_000_000)
