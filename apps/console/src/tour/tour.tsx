import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { useAnchor } from './use-anchor.ts'
import { placeCard } from './place-card.ts'
import type { TourStep } from './tour-steps.ts'
import type { TourHost } from './use-tour.ts'

/** A few steps through what matters. The page stays in use behind it, and Escape ends it at any moment. */
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
              Skip the tour
            </Button>
          )}
        </div>
      </div>
    </>
  )
}

/** Around what the step tells of; nothing that is pressed meets it. */
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
