import { type SessionEvent, UnstampedEvent } from '@parley/contracts'

export type EventType = SessionEvent['type']

/** Every kind of event there is, by its group. */
export const EVENT_TYPES: readonly EventType[] = UnstampedEvent.options
  .flatMap(({ options }) => options.map(({ shape }) => shape.type.value))
  .toSorted()

/** The one kind that an address asks for. */
export function eventTypeInAddress({ type }: Readonly<Record<string, unknown>>): {
  readonly type?: EventType
} {
  const asked = EVENT_TYPES.find((known) => known === type)
  return asked ? { type: asked } : {}
}
