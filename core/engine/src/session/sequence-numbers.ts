interface Numbered {
  readonly sequenceNumber: number
}

/** Message numbers have no gaps. */
export const areConsecutive = (messages: readonly Numbered[]): boolean =>
  messages.every(({ sequenceNumber }, index) => sequenceNumber === (messages[0]?.sequenceNumber ?? 0) + index)

/** Event numbers may have gaps but no duplicates. */
export const areRising = (events: readonly Numbered[]): boolean =>
  events.every(({ sequenceNumber }, index) => sequenceNumber > (events[index - 1]?.sequenceNumber ?? 0))
