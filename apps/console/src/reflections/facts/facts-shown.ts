import { FactChoice, FactOrder, NamespaceName } from '@parley/contracts'

/** The filters and order of the facts page, as kept in its URL. */
export interface FactFilters {
  /** Active facts if absent. */
  readonly state?: Exclude<FactChoice, 'active'> | 'everything'
  /** By subject if absent. */
  readonly order?: Exclude<FactOrder, 'subject'>
  readonly namespace?: string
  readonly search?: string
}

/** Reads the filters from the URL, ignoring invalid values. */
export function factsShown(address: Readonly<Record<string, unknown>>): FactFilters {
  const state = STATES.find((each) => each === address['state'])
  const order = ORDERS.find((each) => each === address['order'])
  const namespace = NamespaceName.safeParse(address['namespace'])
  const search = toSearchText(address['search'])
  return {
    ...(state && { state }),
    ...(order && { order }),
    ...(namespace.success && { namespace: namespace.data }),
    ...(search !== '' && { search }),
  }
}

const STATES = [...FactChoice.exclude(['active']).options, 'everything'] as const
const ORDERS = FactOrder.exclude(['subject']).options

const MAX_LENGTH = 200

/** The router parses a numeric search as a number. */
const toSearchText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_LENGTH) : ''

/** The query for the API. */
export function toFactQuery({ state, order, namespace, search }: FactFilters) {
  const wanted: FactChoice | 'everything' = state ?? 'active'
  const by: FactOrder = order ?? 'subject'
  return {
    order: by,
    ...(wanted !== 'everything' && { state: wanted }),
    ...(namespace !== undefined && { namespace }),
    ...(search !== undefined && search.trim() !== '' && { search }),
  }
}
