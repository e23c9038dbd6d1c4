interface NumberedItem {
  readonly sequenceNumber: number
}

/** Message numbers have no gaps. */
export const areConsecutive = (messages: readonly NumberedItem[]): boolean =>
  messages.every(({ sequenceNumber }, index) => sequenceNumber === (messages[0]?.sequenceNumber ?? 0) + index)

/** Event numbers may have gaps but no duplicates. */
export const areRising = (events: readonly NumberedItem[]): boolean =>
  events.every(({ sequenceNumber }, index) => sequenceNumber > (events[index - 1]?.sequenceNumber ?? 0))
