/** A number with its noun: `1 fact`, `1,200 facts`. */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Cuts a long text, never within a surrogate pair. */
export const cutText = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text

/** A size in bytes, to about two digits. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A timestamp in the reader's time zone and language. */
export const formatTime = (timestamp: string): string =>
  new Date(timestamp).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The age of a timestamp, short enough for a list. */
export function formatAge(timestamp: string, now: number): string {
  const then = Date.parse(timestamp)
  const age = now - then
  if (age < MINUTE) return 'now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`
  if (age < DAY) return `${Math.floor(age / HOUR)} h`
  if (age < 7 * DAY) return `${Math.floor(age / DAY)} d`
  const sameYear = new Date(then).getFullYear() === new Date(now).getFullYear()
  return new Date(then).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(!sameYear && { year: 'numeric' }),
  })
}
