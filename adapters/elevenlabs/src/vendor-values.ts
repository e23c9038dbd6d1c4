import type { Json } from '@parley/contracts'

/** The last moment that a date can tell, in seconds. */
const LATEST = 8_640_000_000_000

/** From the vendor's seconds to a date, as ours are written. */
export const dateOf = (unixSeconds: number): string =>
  new Date(Math.min(Math.max(0, unixSeconds), LATEST) * 1_000).toISOString()

/** Every field that says something, by its path with dots. Lists are fields; what is empty says nothing. */
export function fieldsOf(value: unknown, path = ''): Readonly<Record<string, Json>> {
  if (isEmpty(value)) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { [path]: value as Json }
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) => fieldsOf(inner, path === '' ? key : `${path}.${key}`)),
  ) as Readonly<Record<string, Json>>
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
