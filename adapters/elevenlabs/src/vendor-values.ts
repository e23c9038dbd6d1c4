import type { Json } from '@parley/contracts'

/** The largest value that a Date can hold, in seconds. */
const LATEST = 8_640_000_000_000

/** Converts the vendor's Unix seconds to an ISO date. */
export const toIsoDate = (unixSeconds: number): string =>
  new Date(Math.min(Math.max(0, unixSeconds), LATEST) * 1_000).toISOString()

/** All non-empty fields by dotted path. A list is one field. */
export function flattenFields(value: unknown, path = ''): Readonly<Record<string, Json>> {
  if (isEmpty(value)) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { [path]: value as Json }
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) =>
      flattenFields(inner, path === '' ? key : `${path}.${key}`),
    ),
  ) as Readonly<Record<string, Json>>
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
