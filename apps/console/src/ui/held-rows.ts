/** A row of a list that people decide in. */
export interface HeldRow<Item> {
  readonly item: Item
  /** Whether it went without being decided here; it keeps its room, since another's buttons would come under the pointer. */
  readonly isGone: boolean
}

interface Now<Item> {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** What was decided here: it may go. */
  readonly own: ReadonlySet<string>
  /** False where more stand behind what was read: what is missing may be among those. */
  readonly isWhole: boolean
}

/** What is shown of a list that others change too: what was shown stays where it is, and what is new stands below it. */
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
