import type { PageOf } from '@parley/api-client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'

/** A paginated list. */
export interface Pages<Item> {
  /** All loaded items; undefined before the first page. */
  readonly items: readonly Item[] | undefined
  readonly error: Error | null
  readonly again: () => void
  /** Undefined at the end of the list. */
  readonly more: (() => void) | undefined
  readonly isReadingMore: boolean
  /** The time of the last fetch. */
  readonly readAt: number
}

interface Reading<Item> {
  readonly key: readonly unknown[]
  readonly read: (page: { limit: number; cursor?: string }) => Promise<PageOf<Item>>
  /** The polling interval; absent for static lists. */
  readonly lookAgainMs?: (items: readonly Item[]) => number
  /** Shows the previous data until the new data arrives. */
  readonly keepsPrevious?: boolean
}

const PAGE = 50

export function usePages<Item>({
  key,
  read,
  lookAgainMs,
  keepsPrevious = false,
}: Reading<Item>): Pages<Item> {
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read({ limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: ({ state }) =>
      lookAgainMs?.(state.data?.pages.flatMap(({ items }) => items) ?? []) ?? false,
  })
  return {
    items: list.data?.pages.flatMap(({ items }) => items),
    error: list.error,
    again: () => void list.refetch(),
    more: list.hasNextPage ? () => void list.fetchNextPage() : undefined,
    isReadingMore: list.isFetchingNextPage,
    readAt: list.dataUpdatedAt,
  }
}
