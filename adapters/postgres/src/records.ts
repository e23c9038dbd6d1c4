import { findFirst } from './run-statements.ts'

/**
 * A row that `toRecord` turns into an item: a column for each field, null where the field may be absent. The driver reads
 * times as Date. Not for the frequent reads of a running session, which have their own rows.
 */
export type RowOf<Item> = {
  readonly [Field in keyof Item & string as ToColumn<Field>]-?:
    | ToValue<Field, Exclude<Item[Field], undefined>>
    | OrNull<Item[Field]>
}

// Calls itself last, so that the length of a name does not count as depth.
type ToColumn<Field extends string, Column extends string = ''> = Field extends `${infer First}${infer Rest}`
  ? ToColumn<Rest, `${Column}${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}`>
  : Column

type ToValue<Field extends string, Value> = Field extends 'at' | `${string}${'At' | 'Since' | 'Until'}`
  ? Date
  : Value

type OrNull<Value> = undefined extends Value ? null : never

/**
 * Columns become fields in camel case and times ISO 8601; null becomes an absent field. The statement selects the fields
 * and nothing else: a field that gets another name needs an alias there.
 */
export function toRecord<Item>(row: RowOf<Item>): Item {
  const fields = Object.entries<unknown>(row)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => [toFieldName(column), value instanceof Date ? value.toISOString() : value])
  return Object.fromEntries(fields) as Item
}

const toFieldName = (column: string): string =>
  column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The item of the first row. */
export const findRecord = <Item>(rows: Promise<readonly RowOf<Item>[]>): Promise<Item | undefined> =>
  findFirst(rows, toRecord<Item>)

export const listRecords = async <Item>(rows: Promise<readonly RowOf<Item>[]>): Promise<Item[]> =>
  (await rows).map(toRecord<Item>)
