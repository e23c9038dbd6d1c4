import { useQueries } from '@tanstack/react-query'
import { useCallback, useState } from 'react'

/** One window of a long list: the items after an offset. */
export interface ListWindow<Item> {
  readonly items: readonly Item[]
  readonly count: number
}

interface WindowedListQuery<Item> {
  readonly key: readonly unknown[]
  readonly read: (from: { readonly after: number; readonly limit: number }) => Promise<ListWindow<Item>>
  readonly startAt?: number | undefined
}

export interface WindowedList<Item> {
  /** Undefined until the first window has loaded. */
  readonly count: number | undefined
  readonly itemAt: (index: number) => Item | undefined
  readonly onShown: (first: number, last: number) => void
  readonly error: Error | null
  readonly retry: () => void
}

export const WINDOW_SIZE = 50

/** A long list that fetches and refetches only its visible windows. */
export function useWindowedList<Item>({
  key,
  read,
  startAt = 0,
}: WindowedListQuery<Item>): WindowedList<Item> {
  const [range, setRange] = useState({ first: startAt, last: startAt })
  const numbers = listWindows(range.first, range.last)
  const parts = useQueries({
    queries: numbers.map((number) => ({
      queryKey: [...key, number],
      queryFn: () => read({ after: number * WINDOW_SIZE, limit: WINDOW_SIZE }),
    })),
  })
  const byNumber = new Map(numbers.map((number, at) => [number, parts[at]?.data]))
  // While a distant window loads, the total stays the same.
  const loadedCount = parts.find(({ data }) => data)?.data?.count
  const [lastCount, setLastCount] = useState(loadedCount)
  if (loadedCount !== undefined && loadedCount !== lastCount) setLastCount(loadedCount)
  const onShown = useCallback((first: number, last: number) => setRange({ first, last }), [])
  return {
    count: loadedCount ?? lastCount,
    itemAt: (index) => byNumber.get(Math.floor(index / WINDOW_SIZE))?.items[index % WINDOW_SIZE],
    onShown,
    error: parts.find(({ error }) => error)?.error ?? null,
    retry: () => parts.forEach((part) => void part.refetch()),
  }
}

/** The windows that contain the items from first to last. */
export function listWindows(first: number, last: number): readonly number[] {
  const from = Math.floor(first / WINDOW_SIZE)
  return Array.from({ length: Math.floor(last / WINDOW_SIZE) - from + 1 }, (_, at) => from + at)
}
