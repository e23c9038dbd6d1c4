import { useCallback, useState, type ReactNode } from 'react'

interface StableRows<Item> {
  readonly rows: readonly StableRow<Item>[]
  /** Says that these rows are decided here, so they may disappear. */
  readonly markDecided: (...items: readonly Item[]) => void
}

interface ListState<Item> {
  readonly items: readonly Item[]
  readonly getKey: (item: Item) => string
  /** Whether `items` is the complete list: a row missing from a partial list may still exist. */
  readonly isWhole: boolean
}

/** Keeps rows in place while other people change the list. `getKey` must be stable. */
export function useStableRows<Item>({ items, getKey, isWhole }: ListState<Item>): StableRows<Item> {
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState<readonly StableRow<Item>[]>([])
  const rows = mergeRows(shown, { items, getKey, decided, isWhole })
  if (!haveSameRows(rows, shown)) setShown(rows)
  const markDecided = useCallback(
    (...these: readonly Item[]) => setDecided((before) => new Set([...before, ...these.map(getKey)])),
    [getKey],
  )
  return { rows, markDecided }
}

function haveSameRows<Item>(some: readonly StableRow<Item>[], others: readonly StableRow<Item>[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ item, isGone }, at) => item === others[at]?.item && isGone === others[at]?.isGone)
  )
}

export interface StableRow<Item> {
  readonly item: Item
  /** Decided elsewhere. It keeps its space, so other buttons do not move under the pointer. */
  readonly isGone: boolean
}

/** The rows to show: present rows keep their place, new rows come last. `decided` holds the keys decided here. */
export function mergeRows<Item>(
  before: readonly StableRow<Item>[],
  { items, getKey, decided, isWhole }: ListState<Item> & { readonly decided: ReadonlySet<string> },
): readonly StableRow<Item>[] {
  const current = new Map(items.map((item) => [getKey(item), item]))
  const shownKeys = new Set(before.map(({ item }) => getKey(item)))
  const present = before.flatMap((row): readonly StableRow<Item>[] => {
    const item = current.get(getKey(row.item))
    if (item !== undefined) return [{ item, isGone: false }]
    if (decided.has(getKey(row.item))) return []
    return [{ item: row.item, isGone: isWhole || row.isGone }]
  })
  const added = items.filter((item) => !shownKeys.has(getKey(item))).map((item) => ({ item, isGone: false }))
  const rows = [...present, ...added]
  return rows.slice(0, rows.findLastIndex(({ isGone }) => !isGone) + 1)
}

/** A row that was decided elsewhere keeps its space and is disabled. */
export function StableRowContent({ isGone, children }: { isGone: boolean; children: ReactNode }) {
  return (
    <div className="relative">
      <div inert={isGone} className={`flex flex-col gap-3 ${isGone ? 'opacity-40' : ''}`}>
        {children}
      </div>
      {isGone && (
        <p
          role="status"
          className="bg-paper border-line absolute end-0 top-0 rounded-sm border px-2 text-sm leading-6"
        >
          Decided elsewhere
        </p>
      )}
    </div>
  )
}
