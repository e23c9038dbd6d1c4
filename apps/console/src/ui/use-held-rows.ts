import { useCallback, useState } from 'react'
import { type HeldRow, heldRows } from './held-rows.ts'

interface HeldRows<Item> {
  readonly rows: readonly HeldRow<Item>[]
  /** Says that this is being decided here. */
  readonly own: (...items: readonly Item[]) => void
}

interface Listed<Item> {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** Whether it is all of the list. */
  readonly isWhole: boolean
}

/** A list that people decide in, held still while others change it. `keyOf` stays the same function. */
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
