import { useCallback, useState } from 'react'

interface HeldRows<Item> {
  readonly rows: readonly HeldRow<Item>[]
  /** Marks a row as decided here. */
  readonly own: (...items: readonly Item[]) => void
}

interface Listed<Item> {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** Whether `items` is the complete list. */
  readonly isWhole: boolean
}

/** Keeps rows in place while other people change the list. `keyOf` must be stable. */
export function useHeldRows<Item>({ items, keyOf, isWhole }: Listed<Item>): HeldRows<Item> {
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  const [held, setHeld] = useState<readonly HeldRow<Item>[]>([])
  const rows = heldRows(held, { items, keyOf, own: decided, isWhole })
  if (!areSame(rows, held)) setHeld(rows)
  const own = useCallback(
    (...these: readonly Item[]) => setDecided((before) => new Set([...before, ...these.map(keyOf)])),
    [keyOf],
  )
  return { rows, own }
}

const areSame = <Item>(some: readonly HeldRow<Item>[], others: readonly HeldRow<Item>[]): boolean =>
  some.length === others.length &&
  some.every(({ item, isGone }, at) => item === others[at]?.item && isGone === others[at]?.isGone)

/** A row of a decision list. */
export interface HeldRow<Item> {
  readonly item: Item
  /** Decided elsewhere. It keeps its space, so other buttons do not move under the pointer. */
  readonly isGone: boolean
}

interface Now<Item> {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** Keys decided here; these rows may disappear. */
  readonly own: ReadonlySet<string>
  /** False if the list is partial: missing rows may still exist. */
  readonly isWhole: boolean
}

/** The rows to show: known rows keep their place, new rows come last. */
export function heldRows<Item>(
  before: readonly HeldRow<Item>[],
  { items, keyOf, own, isWhole }: Now<Item>,
): readonly HeldRow<Item>[] {
  const there = new Map(items.map((item) => [keyOf(item), item]))
  const known = new Set(before.map(({ item }) => keyOf(item)))
  const kept = before.flatMap((row): readonly HeldRow<Item>[] => {
    const item = there.get(keyOf(row.item))
    if (item !== undefined) return [{ item, isGone: false }]
    if (own.has(keyOf(row.item))) return []
    return [{ item: row.item, isGone: isWhole || row.isGone }]
  })
  const added = items.filter((item) => !known.has(keyOf(item))).map((item) => ({ item, isGone: false }))
  const rows = [...kept, ...added]
  return rows.slice(0, rows.findLastIndex(({ isGone }) => !isGone) + 1)
}
