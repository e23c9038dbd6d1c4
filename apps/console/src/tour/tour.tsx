import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import type { TourHost, TourStep } from './tour-steps.ts'

/** The guided tour. The page stays usable behind it, and Escape ends it. */
export function Tour({ tour }: { tour: TourHost }) {
  const skip = useEffectEvent(() => tour.end('skipped'))
  const isShown = tour.step !== undefined
  useEffect(() => {
    if (!isShown) return undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) skip()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isShown])
  return tour.step ? <Card tour={tour} step={tour.step} /> : null
}

function Card({ tour: { place, count, go, end }, step }: { tour: TourHost; step: TourStep }) {
  const card = useRef<HTMLDivElement>(null)
  const titleId = useId()
  const textId = useId()
  const anchor = useAnchor(step)
  const isLast = place === count - 1

  useEffect(() => card.current?.focus({ preventScroll: true }), [place])
  useLayoutEffect(() => {
    const element = card.current
    if (!element) return
    const view = { width: window.innerWidth, height: window.innerHeight }
    const { left, top } = placeCard(
      anchor,
      { width: element.offsetWidth, height: element.offsetHeight },
      view,
    )
    element.style.left = `${left}px`
    element.style.top = `${top}px`
  })
  return (
    <>
      {anchor && <Ring anchor={anchor} />}
      <div
        ref={card}
        role="dialog"
        aria-modal="false"
        aria-labelledby={titleId}
        aria-describedby={textId}
        tabIndex={-1}
        data-tour-card
        className="bg-paper border-edge fixed z-30 flex w-[min(22rem,calc(100vw-1.5rem))] flex-col gap-2 rounded-lg border p-4 shadow-lg outline-none"
      >
        <div className="flex items-baseline justify-between gap-4">
          <p id={titleId} className="font-serif text-lg">
            {step.title}
          </p>
          <p className="text-soft text-xs tabular-nums">
            <span className="sr-only">Step </span>
            {place + 1} of {count}
          </p>
        </div>
        <p id={textId} className="text-sm leading-6">
          {step.text}
        </p>
        <div className="mt-1 flex items-center gap-2">
          <Button look="main" onClick={() => (isLast ? end('done') : go(place + 1))}>
            {isLast ? 'Done' : 'Next'}
          </Button>
          {place > 0 && <Button onClick={() => go(place - 1)}>Back</Button>}
          {!isLast && (
            <Button look="bare" className="ms-auto" onClick={() => end('skipped')}>
              Skip tour
            </Button>
          )}
        </div>
      </div>
    </>
  )
}

/** Highlights the step's element without catching clicks. */
function Ring({ anchor }: { anchor: NonNullable<ReturnType<typeof useAnchor>> }) {
  const { left, top, width, height } = anchor
  return (
    <div
      aria-hidden="true"
      className="border-accent pointer-events-none fixed z-30 rounded-md border-2"
      style={{ left: left - 4, top: top - 4, width: width + 8, height: height + 8 }}
    />
  )
}

interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

interface Size {
  readonly width: number
  readonly height: number
}

const GAP = 12

/** Places a card beside its anchor, otherwise below, above or in the corner. */
export function placeCard(
  anchor: Box | undefined,
  card: Size,
  view: Size,
): { readonly left: number; readonly top: number } {
  const corner = { left: view.width - card.width - GAP, top: view.height - card.height - GAP }
  if (!anchor) return within(corner, card, view)
  const beside = anchor.left + anchor.width + GAP
  const below = anchor.top + anchor.height + GAP
  const above = anchor.top - card.height - GAP
  if (beside + card.width + GAP <= view.width) return within({ left: beside, top: anchor.top }, card, view)
  if (below + card.height + GAP <= view.height) return within({ left: anchor.left, top: below }, card, view)
  if (above >= GAP) return within({ left: anchor.left, top: above }, card, view)
  return within(corner, card, view)
}

const within = ({ left, top }: { left: number; top: number }, card: Size, view: Size) => ({
  left: clamp(left, view.width - card.width - GAP),
  top: clamp(top, view.height - card.height - GAP),
})

const clamp = (value: number, most: number) => Math.max(GAP, Math.min(value, most))

interface Anchor {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Tracks the box of a step's element; undefined while it is not visible. */
function useAnchor({ anchor, href }: TourStep): Anchor | undefined {
  const [found, setFound] = useState<{ readonly of: string; readonly box: Anchor }>()
  const name = `${href} ${anchor}`
  useEffect(() => {
    let frame = 0
    let seen: Element | undefined
    const look = () => {
      const element = [...document.querySelectorAll(anchor)].find((one) => one.checkVisibility())
      if (element && element !== seen) element.scrollIntoView({ block: 'nearest' })
      seen = element
      const box = element?.getBoundingClientRect()
      setFound((before) => (box ? changed(before, name, box) : undefined))
      frame = requestAnimationFrame(look)
    }
    frame = requestAnimationFrame(look)
    return () => cancelAnimationFrame(frame)
  }, [anchor, name])
  return found?.of === name ? found.box : undefined
}

/** Returns the same object if nothing moved, to avoid a render. */
function changed(
  before: { readonly of: string; readonly box: Anchor } | undefined,
  of: string,
  { left, top, width, height }: Anchor,
) {
  const { box } = before ?? {}
  const isSame =
    before?.of === of && box?.left === left && box.top === top && box.width === width && box.height === height
  return isSame ? before : { of, box: { left, top, width, height } }
}
