/** The last moment that a date can tell, in seconds. */
const LATEST = 8_640_000_000_000

/** From the vendor's seconds to a date, as ours are written. */
export const dateOf = (unixSeconds: number): string =>
  new Date(Math.min(Math.max(0, unixSeconds), LATEST) * 1_000).toISOString()
