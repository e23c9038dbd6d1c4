import { elementScroll, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { TranscriptTurn } from '@parley/api-client'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { textOf } from './text-labels.ts'

interface VirtualTranscriptProps<Row> {
  readonly rows: readonly Row[]
  /** Stable while rows are added before and after. */
  readonly keyOf: (row: Row) => string | number
  /** The estimated height before rendering. */
  readonly estimate: (row: Row) => number
  readonly children: (row: Row) => ReactNode
  /** Shown above the first row. */
  readonly top?: ReactNode
  /** Called when the first rows become visible. */
  readonly onTop?: () => void
  /** The row to scroll to and highlight. */
  readonly found?: number | undefined
  /** The key of the last sent message: a new one scrolls to the end. */
  readonly sent?: string | undefined
}

const GAP = 24
const EDGE = 32
/** Loads earlier rows when fewer than this are above the visible ones. */
const FEW = 4

/** Renders the visible part of a conversation. Follows its end while the reader is there; earlier rows load in place. */
export function VirtualTranscript<Row>(props: VirtualTranscriptProps<Row>) {
  const { rows, keyOf, estimate, children, top, found, sent } = props
  const { box, isFollowing, follow, leave, moved, keep } = useFollowEnd()
  const getItemKey = useCallback((index: number) => getKey(rows, index, keyOf), [rows, keyOf])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey,
    estimateSize: (index) => getSize(rows, index, estimate),
    overscan: 4,
    gap: GAP,
    paddingStart: EDGE,
    paddingEnd: EDGE,
    // Starts at the end, whose offset is known only after rendering.
    initialOffset: () => rows.reduce((sum, row) => sum + estimate(row) + GAP, 0),
    anchorTo: 'end',
    // The virtualizer keeps visible rows in place; only `keep` follows the end.
    scrollEndThreshold: -1,
    scrollToFn: (offset, options, instance) => {
      elementScroll(offset, options, instance)
      moved()
    },
  })
  const shown = virtual.getVirtualItems()

  // After every render, once the virtualizer has adjusted.
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

  // Smooth key scrolling stops short when rows above turn out taller than estimated.
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

function getKey<Row>(rows: readonly Row[], index: number, keyOf: (row: Row) => string | number) {
  const row = rows[index]
  return row === undefined ? index : keyOf(row)
}

function getSize<Row>(rows: readonly Row[], index: number, estimate: (row: Row) => number) {
  const row = rows[index]
  return row === undefined ? 0 : estimate(row)
}

/** A scroll position, in pixels. */
export interface ScrollPosition {
  readonly top: number
  readonly toEnd: number
}

export interface Following {
  readonly follows: boolean
  /** The last known scroll position. */
  readonly top: number
}

/** Zoomed pages have fractional pixels. */
const AT_END = 2
/** Scrolling down within this many pixels of the end counts as reaching it. */
const NEAR = 48

/** Follows the end until the reader scrolls up, and again once they scroll back down. Growth changes nothing. */
export function updateFollowing({ follows, top }: Following, now: ScrollPosition): Following {
  if (now.toEnd <= AT_END) return { follows: true, top: now.top }
  if (now.top < top) return { follows: false, top: now.top }
  return { follows: follows || (now.top > top && now.toEnd < NEAR), top: now.top }
}

/** Keeps the end of a growing box in view. Call `keep` in a layout effect. */
export function useFollowEnd() {
  const box = useRef<HTMLDivElement>(null)
  const now = useRef<Following>({ follows: true, top: 0 })
  const [isFollowing, setFollowing] = useState(true)

  const measure = useCallback(() => {
    const element = box.current
    if (!element) return
    const { scrollTop: top, scrollHeight, clientHeight } = element
    now.current = updateFollowing(now.current, { top, toEnd: scrollHeight - top - clientHeight })
    setFollowing(now.current.follows)
  }, [])
  const set = useCallback((follows: boolean) => {
    now.current = { follows, top: box.current?.scrollTop ?? 0 }
    setFollowing(follows)
  }, [])
  const follow = useCallback(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
    set(true)
  }, [set])
  const leave = useCallback(() => set(false), [set])
  /** Notes that the page scrolled the box, not the reader. */
  const moved = useCallback(() => set(now.current.follows), [set])
  const keep = useCallback(() => {
    measure()
    if (now.current.follows) follow()
  }, [measure, follow])

  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    // A reader who opens details wants to see their start, not the end of the box.
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('summary'))
        now.current = { ...now.current, follows: false }
    }
    const resized = new ResizeObserver(() => now.current.follows && follow())
    element.addEventListener('scroll', measure, { passive: true })
    element.addEventListener('click', onClick)
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      element.removeEventListener('click', onClick)
      resized.disconnect()
    }
  }, [measure, follow])

  return { box, isFollowing, follow, leave, moved, keep }
}

const LINE = 27
const LETTERS_IN_LINE = 70
/** The height of a turn's name, spacing and footer. */
const AROUND = 110
const TOOL = 24

/** The estimated height of a turn before rendering, so the scroll bar does not jump. */
export function turnHeight({ question, parts }: TranscriptTurn): number {
  const questionLines = question ? countLines(textOf(question)) : 0
  const answerHeight = parts.reduce(
    (height, part) => height + (part.kind === 'text' ? countLines(part.text) * LINE : TOOL) + 12,
    0,
  )
  return AROUND + questionLines * LINE + answerHeight
}

const countLines = (text: string): number =>
  text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / LETTERS_IN_LINE)), 0)
