import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'

interface VirtualListProps<Item> {
  readonly label: string
  /** The total number of items, loaded or not. */
  readonly count: number
  readonly itemAt: (index: number) => Item | undefined
  /** The estimated height before rendering. */
  readonly estimate: number
  readonly row: (item: Item, index: number) => ReactNode
  /** Reports the visible range, so it can be loaded. */
  readonly onShown?: (first: number, last: number) => void
  readonly startAt?: number | undefined
}

/** Renders only the visible rows of a long list, inside the page's scroll area. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, count, itemAt, estimate, row, startAt } = props
  const list = useRef<HTMLUListElement>(null)
  const [above, setAbove] = useState(0)
  // The library's functions change with its measurements, so the compiler must not memoize them.
  const virtual = useVirtualizer({
    count,
    estimateSize: () => estimate,
    getScrollElement: () => findScroller(list.current),
    overscan: 6,
    scrollMargin: above,
  })
  useLayoutEffect(() => {
    const scroller = findScroller(list.current)
    if (!list.current || !scroller) return
    const top = list.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top
    setAbove(Math.round(top + scroller.scrollTop))
  })
  const visibleItems = virtual.getVirtualItems()
  const [first, last] = [visibleItems[0]?.index ?? 0, visibleItems.at(-1)?.index ?? 0]
  const reportShown = useEffectEvent((from: number, to: number) => props.onShown?.(from, to))
  useEffect(() => reportShown(first, last), [first, last, count])
  // Its position is known once the rows before it are measured, so keep scrolling until it is rendered.
  const reached = useRef<number>(undefined)
  useEffect(() => {
    if (startAt === undefined || reached.current === startAt) return
    if (visibleItems.some(({ index }) => index === startAt)) reached.current = startAt
    virtual.scrollToIndex(startAt, { align: 'center' })
  })
  return (
    <ul
      ref={list}
      aria-label={label}
      className="border-line relative border-y"
      style={{ height: virtual.getTotalSize() }}
    >
      {visibleItems.map(({ index, key, start }) => {
        const item = itemAt(index)
        return (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            className="border-line absolute inset-x-0 top-0 border-b last:border-b-0"
            style={{ transform: `translateY(${start - above}px)` }}
          >
            {item === undefined ? (
              <p className="animate-late text-soft py-3 text-sm" style={{ height: estimate }}>
                Loading…
              </p>
            ) : (
              row(item, index)
            )}
          </li>
        )
      })}
    </ul>
  )
}

const findScroller = (element: HTMLElement | null) => element?.closest<HTMLElement>('[data-scrolls]') ?? null
