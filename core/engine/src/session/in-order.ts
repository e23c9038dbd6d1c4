interface Numbered {
  readonly sequenceNumber: number
}

/** Messages are numbered without a gap. */
export const areConsecutive = (messages: readonly Numbered[]): boolean =>
  messages.every(({ sequenceNumber }, index) => sequenceNumber === (messages[0]?.sequenceNumber ?? 0) + index)

/** Events may have gaps between their numbers, and never the same number twice. */
export const areRising = (events: readonly Numbered[]): boolean =>
  events.every(({ sequenceNumber }, index) => sequenceNumber > (events[index - 1]?.sequenceNumber ?? 0))
