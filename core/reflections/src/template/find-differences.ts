import type { Json } from '@parley/contracts'

/** A field with a wrong value. The value is absent on a side without the field. */
export interface FieldDifference {
  /** Such as `privacy.retentionDays`. */
  readonly path: string
  readonly wanted?: Json
  readonly held?: Json
}

/** All fields whose value at the provider differs from the desired one, in the order of the desired ones. */
export function findDifferences<Compared extends object>(
  wanted: Compared,
  held: Compared,
  within = '',
): readonly FieldDifference[] {
  return compare(within, wanted, held)
}

function compare(path: string, wanted: unknown, held: unknown): readonly FieldDifference[] {
  if (isRecord(wanted) && isRecord(held)) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(held)])
    return [...keys].flatMap((key) =>
      compare(path === '' ? key : `${path}.${key}`, readOwn(wanted, key), readOwn(held, key)),
    )
  }
  return toComparableText(wanted) === toComparableText(held)
    ? []
    : [{ path, ...side('wanted', wanted), ...side('held', held) }]
}

/** Lists are compared as sets, since tools and overrides have no order. */
const toComparableText = (value: unknown): string =>
  Array.isArray(value) ? JSON.stringify(value.map(toText).toSorted(compareTexts)) : toText(value)

const toText = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

const side = (name: 'wanted' | 'held', value: unknown) =>
  value === undefined ? {} : { [name]: value as Json }

const readOwn = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
