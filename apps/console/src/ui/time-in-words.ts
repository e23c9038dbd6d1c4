/** A timestamp in the reader's time zone and language. */
export const timeInWords = (timestamp: string): string =>
  new Date(timestamp).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
