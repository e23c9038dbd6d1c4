import { Channel, type ListSessions, ReflectionId, SessionStatus } from '@parley/contracts'

/** What of the sessions a person wants to see, as the address names it. */
export type SessionFilters = Readonly<
  Partial<Pick<ListSessions, 'search' | 'channel' | 'status' | 'turn' | 'reflectionId'>>
> & { readonly whose?: 'all' }

const LONGEST_SEARCH = 200

/** From an address, which anybody may have written: what is not understood counts as not said. */
export function filtersIn(address: Readonly<Record<string, unknown>>): SessionFilters {
  const search = wordsIn(address['search'])
  const channel = Channel.safeParse(address['channel']).data
  const status = SessionStatus.safeParse(address['status']).data
  const reflectionId = ReflectionId.safeParse(address['reflectionId']).data
  return {
    ...(search !== '' && { search }),
    ...(channel && { channel }),
    ...(status && { status }),
    ...(address['turn'] === 'waiting' && { turn: 'waiting' }),
    ...(reflectionId && { reflectionId }),
    ...(address['whose'] === 'all' && { whose: 'all' }),
  }
}

/** A number in an address is read as one, and is a word all the same. */
const wordsIn = (words: unknown): string =>
  typeof words === 'string' || typeof words === 'number' ? String(words).trim().slice(0, LONGEST_SEARCH) : ''

export const isFiltered = (filters: SessionFilters): boolean => Object.keys(filters).length > 0
