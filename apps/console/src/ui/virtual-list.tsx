import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'

interface VirtualListProps<Item> {
  readonly label: string
  /** How many there are in all, read or not. */
  readonly count: number
  /** Undefined while it is on its way. */
  readonly itemAt: (index: number) => Item | undefined
  /** How tall one is, about, before it was drawn. */
  readonly estimate: number
  readonly row: (item: Item, index: number) => ReactNode
  /** Told what is in sight, so that it can be read. */
  readonly onShown: (first: number, last: number) => void
  /** The one to begin at. */
  readonly startAt?: number | undefined
}

/** A list of which only what is in sight is drawn, however long it is. It scrolls with the page that it stands on. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, count, itemAt, estimate, row, startAt } = props
  const list = useRef<HTMLUListElement>(null)
  const [above, setAbove] = useState(0)
  // The library hands out functions that change with what they measure, which no compiler may remember.
  const virtual = useVirtualizer({
    count,
    estimateSize: () => estimate,
    getScrollElement: () => scrollerOf(list.current),
    overscan: 6,
    scrollMargin: above,
  })
  useLayoutEffect(() => {
    const scroller = scrollerOf(list.current)
    if (!list.current || !scroller) return
    const top = list.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top
    setAbove(Math.round(top + scroller.scrollTop))
  })
  const shown = virtual.getVirtualItems()
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0]
  const tell = useEffectEvent(props.onShown)
  useEffect(() => tell(first, last), [first, last, count])
  // Where it stands is known once what is before it was measured, so it is gone to until it is drawn.
  const begun = useRef<number>(undefined)
  useEffect(() => {
    if (startAt === undefined || begun.current === startAt) return
    if (shown.some(({ index }) => index === startAt)) begun.current = startAt
    virtual.scrollToIndex(startAt, { align: 'center' })
  })
  return (
    <ul
      ref={list}
      aria-label={label}
      className="border-line relative border-y"
      style={{ height: virtual.getTotalSize() }}
    >
      {shown.map(({ index, key, start }) => {
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
            {item === undefined ? <Coming height={estimate} /> : row(item, index)}
          </li>
        )
      })}
    </ul>
  )
}

function Coming({ height }: { height: number }) {
  return (
    <p className="animate-late text-soft py-3 text-sm" style={{ height }}>
      Loading…
    </p>
  )
}

const scrollerOf = (element: HTMLElement | null) => element?.closest<HTMLElement>('[data-scrolls]') ?? null
