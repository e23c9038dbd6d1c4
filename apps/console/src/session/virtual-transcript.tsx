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
import type { TranscriptTurn } from '@parley/api-client'
import { Button } from '../ui/button.tsx'
import { getMessageText } from './text-labels.ts'
import { useFollowEnd } from './use-follow-end.ts'

interface VirtualTranscriptProps<Row> {
  readonly rows: readonly Row[]
  /** Stable while rows are added before and after. */
  readonly getKey: (row: Row) => string | number
  /** The estimated height before rendering. */
  readonly estimate: (row: Row) => number
  readonly children: (row: Row) => ReactNode
  /** Shown above the first row. */
  readonly top?: ReactNode
  /** Called when the first rows become visible. */
  readonly onTop?: () => void
  /** The row to scroll to and highlight. */
  readonly foundIndex?: number | undefined
  /** The key of the last sent message: a new one scrolls to the end. */
  readonly lastSentKey?: string | undefined
}

const GAP = 24
const EDGE = 32
/** Loads earlier rows when fewer than this are above the visible ones. */
const MIN_ROWS_ABOVE = 4

/** Renders the visible part of a conversation. Follows its end while the reader is there; earlier rows load in place. */
export function VirtualTranscript<Row>(props: VirtualTranscriptProps<Row>) {
  const { rows, getKey, estimate, children, top, foundIndex, lastSentKey } = props
  const { box, isFollowing, follow, stopFollowing, moved, keep } = useFollowEnd()
  const getItemKey = useCallback(
    (index: number) => {
      const row = rows[index]
      return row === undefined ? index : getKey(row)
    },
    [rows, getKey],
  )
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey,
    estimateSize: (index) => {
      const row = rows[index]
      return row === undefined ? 0 : estimate(row)
    },
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
  const visibleItems = virtual.getVirtualItems()

  // After every render, once the virtualizer has adjusted.
  useLayoutEffect(keep)
  useFollowOnSend(lastSentKey, follow)
  useReachTop(visibleItems[0]?.index, rows.length, props.onTop)

  const scrollTo = (index: number, align?: 'center') => {
    stopFollowing()
    virtual.scrollToIndex(index, align && { align })
  }
  useScrollToFound(foundIndex, (index) => scrollTo(index, 'center'))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target === box.current)
      scrollByKey(event, box.current, { Home: () => scrollTo(0), End: follow })
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
          {visibleItems.map(({ index, key, start }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                data-found={index === foundIndex || undefined}
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
        <Button
          icon="down"
          className="bg-paper absolute start-1/2 bottom-4 -translate-x-1/2 shadow-sm"
          onClick={follow}
        >
          Jump to latest
        </Button>
      )}
    </div>
  )
}

/** Scrolls to the end when the reader sends a message. */
function useFollowOnSend(lastSentKey: string | undefined, follow: () => void): void {
  const before = useRef(lastSentKey)
  useLayoutEffect(() => {
    if (lastSentKey !== undefined && lastSentKey !== before.current) follow()
    before.current = lastSentKey
  }, [lastSentKey, follow])
}

/** Calls `onTop` when few rows are left above the first visible one. */
function useReachTop(first: number | undefined, count: number, onTop: (() => void) | undefined): void {
  const reachTop = useEffectEvent(() => onTop?.())
  useEffect(() => {
    if (first !== undefined && first < MIN_ROWS_ABOVE) reachTop()
  }, [first, count])
}

function useScrollToFound(foundIndex: number | undefined, scrollTo: (index: number) => void): void {
  const goTo = useEffectEvent(scrollTo)
  useEffect(() => {
    if (foundIndex !== undefined) goTo(foundIndex)
  }, [foundIndex])
}

/** Smooth key scrolling stops short when rows above turn out taller than estimated. */
function scrollByKey(
  event: KeyboardEvent,
  box: HTMLElement,
  ends: Readonly<Record<'Home' | 'End', () => void>>,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const page = box.clientHeight * 0.9
  const moves: Readonly<Record<string, () => void>> = {
    ...ends,
    PageUp: () => box.scrollBy({ top: -page, behavior: 'instant' }),
    PageDown: () => box.scrollBy({ top: page, behavior: 'instant' }),
  }
  const move = moves[event.key]
  if (!move) return
  event.preventDefault()
  move()
}

const LINE_HEIGHT = 27
const LETTERS_IN_LINE = 70
/** The height of a turn's name, spacing and footer. */
const FRAME_HEIGHT = 110
const TOOL_HEIGHT = 24

/** The estimated height of a turn before rendering, so the scroll bar does not jump. */
export function estimateTurnHeight({ question, parts }: TranscriptTurn): number {
  const questionLines = question ? countLines(getMessageText(question)) : 0
  const answerHeight = parts.reduce(
    (height, part) =>
      height + (part.kind === 'text' ? countLines(part.text) * LINE_HEIGHT : TOOL_HEIGHT) + 12,
    0,
  )
  return FRAME_HEIGHT + questionLines * LINE_HEIGHT + answerHeight
}

const countLines = (text: string): number =>
  text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / LETTERS_IN_LINE)), 0)
