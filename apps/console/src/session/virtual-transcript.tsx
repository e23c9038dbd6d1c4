import { elementScroll, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
} from 'react'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useFollowEnd } from './use-follow-end.ts'

interface VirtualTranscriptProps<Row> {
  readonly rows: readonly Row[]
  /** Stays the same while rows come before and after. */
  readonly keyOf: (row: Row) => string | number
  /** How tall one is, about, before it was drawn. */
  readonly estimate: (row: Row) => number
  readonly children: (row: Row) => ReactNode
  /** What stands above the first row. */
  readonly top?: ReactNode
  /** Called when the first rows come into sight. */
  readonly onTop?: () => void
  /** The row to bring into sight, and which one is marked. */
  readonly found?: number | undefined
  /** The key of what was last sent: a new one brings the end into sight. */
  readonly sent?: string | undefined
}

const GAP = 24
const EDGE = 32
/** With so few rows above what is in sight, those before them are asked for. */
const FEW = 4

/**
 * A conversation of which only what is in sight is drawn. The end stays in view while it grows, as long as the reader is
 * there; when earlier rows come in above, what is in view stays in view.
 */
export function VirtualTranscript<Row>(props: VirtualTranscriptProps<Row>) {
  const { rows, keyOf, estimate, children, top, found, sent } = props
  const { box, isFollowing, follow, leave, moved, keep } = useFollowEnd()
  const getItemKey = useCallback((index: number) => keyAt(rows, index, keyOf), [rows, keyOf])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey,
    estimateSize: (index) => sizeAt(rows, index, estimate),
    overscan: 4,
    gap: GAP,
    paddingStart: EDGE,
    paddingEnd: EDGE,
    // What is drawn first is the end; how far down it is, is known when it is drawn.
    initialOffset: () => rows.reduce((sum, row) => sum + estimate(row) + GAP, 0),
    anchorTo: 'end',
    // The virtualizer keeps what is in sight in place; that the end is followed is for `keep` alone.
    scrollEndThreshold: -1,
    scrollToFn: (offset, options, instance) => {
      elementScroll(offset, options, instance)
      moved()
    },
  })
  const shown = virtual.getVirtualItems()

  // After every render, and after the virtualizer has moved what it moves.
  useLayoutEffect(keep)

  const sentBefore = useRef(sent)
  useLayoutEffect(() => {
    if (sent !== undefined && sent !== sentBefore.current) follow()
    sentBefore.current = sent
  }, [sent, follow])

  const reachTop = useEffectEvent(() => props.onTop?.())
  const first = shown[0]?.index
  useEffect(() => {
    if (first !== undefined && first < FEW) reachTop()
  }, [first, rows.length])

  const goTo = useEffectEvent((index: number) => {
    leave()
    virtual.scrollToIndex(index, { align: 'center' })
  })
  useEffect(() => {
    if (found !== undefined) goTo(found)
  }, [found])

  // A browser glides to where a key leads, and stops where rows above turn out taller than they were taken to be.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return
    const page = (box.current?.clientHeight ?? 0) * 0.9
    const moves: Readonly<Record<string, () => void>> = {
      Home: () => {
        leave()
        virtual.scrollToIndex(0)
      },
      End: follow,
      PageUp: () => box.current?.scrollBy({ top: -page, behavior: 'instant' }),
      PageDown: () => box.current?.scrollBy({ top: page, behavior: 'instant' }),
    }
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    move()
  }

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="log"
        aria-label="Transcript"
        aria-live="off"
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="h-full overflow-y-auto px-4 outline-offset-[-3px] [overflow-anchor:none] sm:px-8"
      >
        <div
          className="relative mx-auto max-w-[38rem] lg:max-w-[45.5rem]"
          style={{ height: rows.length === 0 ? undefined : virtual.getTotalSize() }}
        >
          <div className="flex min-h-8 items-center justify-center">{top}</div>
          {shown.map(({ index, key, start }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                data-found={index === found || undefined}
                className={`absolute inset-x-0 top-0 flex flex-col gap-6 data-found:bg-added data-found:shadow-[0_0_0_8px_var(--added)] ${index > 0 ? 'border-line border-t pt-6' : ''}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                {children(row)}
              </div>
            )
          })}
        </div>
      </div>
      {!isFollowing && (
        <Button className="bg-paper absolute start-1/2 bottom-4 -translate-x-1/2 shadow-sm" onClick={follow}>
          <Icon name="down" />
          Jump to latest
        </Button>
      )}
    </div>
  )
}

function keyAt<Row>(rows: readonly Row[], index: number, keyOf: (row: Row) => string | number) {
  const row = rows[index]
  return row === undefined ? index : keyOf(row)
}

function sizeAt<Row>(rows: readonly Row[], index: number, estimate: (row: Row) => number) {
  const row = rows[index]
  return row === undefined ? 0 : estimate(row)
}
