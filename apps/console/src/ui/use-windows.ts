import { useQueries } from '@tanstack/react-query'
import { useCallback, useState } from 'react'

/** A part of a long list: what comes after so many. */
export interface Window<Item> {
  readonly items: readonly Item[]
  /** How many there are in all. */
  readonly count: number
}

interface Reading<Item> {
  readonly key: readonly unknown[]
  readonly read: (from: { readonly after: number; readonly limit: number }) => Promise<Window<Item>>
  /** Where to begin, if not at the beginning. */
  readonly startAt?: number | undefined
}

export interface Windows<Item> {
  /** Undefined until the first part has come. */
  readonly count: number | undefined
  readonly itemAt: (index: number) => Item | undefined
  readonly onShown: (first: number, last: number) => void
  readonly error: Error | null
  readonly again: () => void
}

export const WINDOW = 50

/** A long list of which only the parts in sight are read, and read anew. */
export function useWindows<Item>({ key, read, startAt = 0 }: Reading<Item>): Windows<Item> {
  const [shown, setShown] = useState({ first: startAt, last: startAt })
  const numbers = windowsBetween(shown.first, shown.last)
  const parts = useQueries({
    queries: numbers.map((number) => ({
      queryKey: [...key, number],
      queryFn: () => read({ after: number * WINDOW, limit: WINDOW }),
    })),
  })
  const byNumber = new Map(numbers.map((number, at) => [number, parts[at]?.data]))
  // Far from what was read nothing has come yet, and the list is as long as it was.
  const counted = parts.find(({ data }) => data)?.data?.count
  const [known, setKnown] = useState(counted)
  if (counted !== undefined && counted !== known) setKnown(counted)
  const onShown = useCallback((first: number, last: number) => setShown({ first, last }), [])
  return {
    count: counted ?? known,
    itemAt: (index) => byNumber.get(Math.floor(index / WINDOW))?.items[index % WINDOW],
    onShown,
    error: parts.find(({ error }) => error)?.error ?? null,
    again: () => parts.forEach((part) => void part.refetch()),
  }
}

/** The parts that hold what stands from the first to the last of a list. */
export function windowsBetween(first: number, last: number): readonly number[] {
  const from = Math.floor(first / WINDOW)
  return Array.from({ length: Math.floor(last / WINDOW) - from + 1 }, (_, at) => from + at)
}
