import { FactChoice, FactOrder, NamespaceName } from '@parley/contracts'

/** Which facts a person looks at, and in which order, as the page's address holds it. */
export interface FactsShown {
  /** What counts now, where absent. */
  readonly state?: Exclude<FactChoice, 'active'> | 'everything'
  /** By subject, where absent. */
  readonly order?: Exclude<FactOrder, 'subject'>
  readonly namespace?: string
  readonly search?: string
}

/** What an address says of it; what it says wrongly is left out. */
export function factsShown(address: Readonly<Record<string, unknown>>): FactsShown {
  const state = STATES.find((each) => each === address['state'])
  const order = ORDERS.find((each) => each === address['order'])
  const namespace = NamespaceName.safeParse(address['namespace'])
  const search = wordsIn(address['search'])
  return {
    ...(state && { state }),
    ...(order && { order }),
    ...(namespace.success && { namespace: namespace.data }),
    ...(search !== '' && { search }),
  }
}

const STATES = [...FactChoice.exclude(['active']).options, 'everything'] as const
const ORDERS = FactOrder.exclude(['subject']).options

const LONGEST = 200

/** The router takes what looks like a number for one. */
const wordsIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, LONGEST) : ''

/** As the API is asked for it. */
export function wantedOf({ state, order, namespace, search }: FactsShown) {
  const wanted: FactChoice | 'everything' = state ?? 'active'
  const by: FactOrder = order ?? 'subject'
  return {
    order: by,
    ...(wanted !== 'everything' && { state: wanted }),
    ...(namespace !== undefined && { namespace }),
    ...(search !== undefined && search.trim() !== '' && { search }),
  }
}
