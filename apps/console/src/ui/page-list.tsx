import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import type { Pages } from './use-pages.ts'
import { ErrorNotice } from './notice.tsx'
import { Loading } from './query-state.tsx'
import { Rows } from './rows.tsx'

interface PageListProps<Item> {
  readonly pages: Pages<Item>
  readonly label: string
  /** Shown when the list is empty. */
  readonly empty: ReactNode
  readonly row: (item: Item) => ReactNode
}

/** A list with its loading, error and empty states and a "Show more" button. */
export function PageList<Item>({ pages, label, empty, row }: PageListProps<Item>) {
  const { items, error, retry, loadMore, isLoadingMore } = pages
  const isEmpty = items?.length === 0
  return (
    <>
      {!items && !error && <Loading />}
      {isEmpty && empty}
      {items && !isEmpty && <Rows aria-label={label}>{items.map(row)}</Rows>}
      {/* Above the list it would shift the rows under the pointer. */}
      <ErrorNotice error={error} retry={retry} />
      {loadMore && (
        <Button
          className="self-start"
          aria-disabled={isLoadingMore}
          onClick={() => isLoadingMore || loadMore()}
        >
          {isLoadingMore ? 'Loading…' : 'Show more'}
        </Button>
      )}
    </>
  )
}
