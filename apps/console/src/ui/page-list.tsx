import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { messageOf } from './message-of.ts'
import { Notice } from './notice.tsx'
import type { Pages } from './use-pages.ts'

interface PageListProps<Item> {
  readonly pages: Pages<Item>
  readonly label: string
  /** Shown when the list is empty. */
  readonly empty: ReactNode
  readonly row: (item: Item) => ReactNode
}

/** A list with its loading, error and empty states and a "Show more" button. */
export function PageList<Item>({ pages, label, empty, row }: PageListProps<Item>) {
  const { items, error, again, more, isReadingMore } = pages
  const isEmpty = items?.length === 0
  return (
    <>
      {!items && !error && <p className="animate-late text-soft text-sm">Loading…</p>}
      {isEmpty && empty}
      {items && !isEmpty && (
        <ul aria-label={label} className="divide-line border-line flex flex-col divide-y border-y">
          {items.map(row)}
        </ul>
      )}
      {/* Above the list it would shift the rows under the pointer. */}
      {error && <Notice action={<Button onClick={again}>Try again</Button>}>{messageOf(error)}</Notice>}
      {more && (
        <Button className="self-start" aria-disabled={isReadingMore} onClick={() => isReadingMore || more()}>
          {isReadingMore ? 'Loading…' : 'Show more'}
        </Button>
      )}
    </>
  )
}
