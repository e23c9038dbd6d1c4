import { type SessionEvent, UnstampedEvent } from '@parley/contracts'

const LONGEST = 200

/** The search text in an address; the router parses digits as a number. */
export function parseFindParam({ find }: Readonly<Record<string, unknown>>): { readonly find?: string } {
  if (typeof find !== 'string' && typeof find !== 'number') return {}
  return { find: String(find).slice(0, LONGEST) }
}

export type EventType = SessionEvent['type']

/** All event types, sorted. */
export const EVENT_TYPES: readonly EventType[] = UnstampedEvent.options
  .map(({ shape }) => shape.type.value)
  .toSorted()

/** The event type in an address. */
export function parseEventType({ type }: Readonly<Record<string, unknown>>): {
  readonly type?: EventType
} {
  const asked = EVENT_TYPES.find((known) => known === type)
  return asked ? { type: asked } : {}
}

export const SPEEDS = ['1', '4', 'max'] as const
export type Speed = (typeof SPEEDS)[number]

export interface ReplayPosition {
  /** The number of events played. */
  readonly at?: number
  readonly speed?: Speed
}

/** The replay position and speed in an address. */
export function parseReplayPosition({ at, speed }: Readonly<Record<string, unknown>>): ReplayPosition {
  const known = SPEEDS.find((one) => one === String(speed))
  return {
    ...(typeof at === 'number' && Number.isSafeInteger(at) && at >= 0 && { at }),
    ...(known && { speed: known }),
  }
}
