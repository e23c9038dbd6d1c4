import type { PageOf } from '@parley/api-client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

export interface Pages<Item> {
  /** All loaded items; undefined before the first page. */
  readonly items: readonly Item[] | undefined
  readonly error: Error | null
  readonly retry: () => void
  /** Undefined at the end of the list. */
  readonly loadMore: (() => void) | undefined
  readonly isLoadingMore: boolean
  readonly loadedAt: number
  /** Whether the items are those of the previous query. */
  readonly isPrevious: boolean
}

interface PagesQuery<Item> {
  readonly key: readonly unknown[]
  readonly read: (page: { limit: number; cursor?: string }) => Promise<PageOf<Item>>
  /** The polling interval; absent for static lists. */
  readonly pollMs?: (items: readonly Item[]) => number
  /** Shows the previous data until the new data arrives. */
  readonly keepPrevious?: boolean
}

const PAGE_SIZE = 50

export function usePages<Item>({ key, read, pollMs, keepPrevious = false }: PagesQuery<Item>): Pages<Item> {
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      read({ limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: ({ state }) => pollMs?.(state.data?.pages.flatMap(({ items }) => items) ?? []) ?? false,
  })
  return {
    items: useMemo(() => list.data?.pages.flatMap(({ items }) => items), [list.data]),
    error: list.error,
    retry: () => void list.refetch(),
    loadMore: list.hasNextPage ? () => void list.fetchNextPage() : undefined,
    isLoadingMore: list.isFetchingNextPage,
    loadedAt: list.dataUpdatedAt,
    isPrevious: list.isPlaceholderData,
  }
}
