import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import type { Pages } from './use-pages.ts'
import { ErrorNotice } from './notice.tsx'
import { Loading } from './query-state.tsx'
import { Rows } from './page-body.tsx'

type PageListProps<Item> = {
  readonly pages: Pages<Item>
  readonly empty: ReactNode
} & (
  | { readonly label: string; readonly row: (item: Item) => ReactNode }
  /** Renders all items, if they are not the rows of a plain list. */
  | { readonly list: (items: readonly Item[]) => ReactNode }
)

/** A list with its loading, error and empty states and a "Show more" button. */
export function PageList<Item>({ pages, empty, ...content }: PageListProps<Item>) {
  const { items, error, retry, loadMore, isLoadingMore } = pages
  return (
    <>
      {!items && !error && <Loading />}
      {items?.length === 0 && empty}
      {items &&
        items.length > 0 &&
        ('list' in content ? (
          content.list(items)
        ) : (
          <Rows aria-label={content.label}>{items.map(content.row)}</Rows>
        ))}
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
