import { Channel, type ListSessions, ReflectionId, SessionStatus } from '@parley/contracts'

/** Session filters in the address. */
export type SessionFilters = Readonly<
  Partial<Pick<ListSessions, 'search' | 'channel' | 'status' | 'turn' | 'reflectionId'>>
> & { readonly whose?: 'all' }

const LONGEST_SEARCH = 200

/** From an address, which anybody may have written: x. */
export function parseFilters(address: Readonly<Record<string, unknown>>): SessionFilters {
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

/** The router parses digits as a number. */
const wordsIn = (words: unknown): string =>
  typeof words === 'string' || typeof words === 'number' ? String(words).trim().slice(0, LONGEST_SEARCH) : ''

export const isFiltered = (filters: SessionFilters): boolean => Object.keys(filters).length > 0
