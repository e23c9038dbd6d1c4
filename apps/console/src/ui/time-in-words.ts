/** A moment as the reader's own clock and calendar tell it. */
export const timeInWords = (timestamp: string): string =>
  new Date(timestamp).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
