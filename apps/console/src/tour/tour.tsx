import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import type { Reflection } from '@parley/contracts'
import { focusPage } from '../ui/focus.ts'
import { toRights } from '../app/roles.ts'
import { Button } from '../ui/button.tsx'
import { useWindowEvent } from '../ui/use-window-event.ts'

interface TourProps {
  readonly reflection: Pick<Reflection, 'id' | 'role'> | undefined
  /** True while a dialog covers the page. */
  readonly isHidden: boolean
  readonly onEnd: (how: 'skipped' | 'done') => void
}

/** The guided tour, from its first step. The page stays usable behind it, and Escape ends it. */
export function Tour({ reflection, isHidden, onEnd }: TourProps) {
  const [position, setPosition] = useState(0)
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const steps = listTourSteps(reflection)
  const step = steps[position]

  // A person who navigates away skips the tour.
  const lastPathname = useRef(pathname)
  const onMove = useEffectEvent(() => {
    if (lastPathname.current === pathname) return
    lastPathname.current = pathname
    if (pathname !== step?.href) onEnd('skipped')
  })
  useEffect(() => onMove(), [pathname])

  const close = (how: 'skipped' | 'done') => {
    onEnd(how)
    focusPage()
  }
  useWindowEvent('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !isHidden) close('skipped')
  })

  const go = (next: number) => {
    setPosition(next)
    const href = steps[next]?.href
    if (href !== undefined && href !== pathname) void navigate({ href })
  }
  if (!step || isHidden) return null
  return (
    <TourCard key={position} step={step} position={position} count={steps.length} onGo={go} onEnd={close} />
  )
}

interface TourStep {
  readonly title: string
  readonly text: string
  readonly href: string
  /** The selector of its element; the step is shown even if nothing matches. */
  readonly anchor: string
}

/** The tour's steps. Skips actions that the person's role does not allow. */
export function listTourSteps(reflection: Pick<Reflection, 'id' | 'role'> | undefined): readonly TourStep[] {
  return [
    ...(reflection ? listReflectionSteps(reflection) : WITHOUT_REFLECTION),
    {
      title: 'Sessions',
      text: 'Every conversation is saved here, with its messages, sources, tool calls and cost. Press Ctrl K or ⌘ K to search everything.',
      href: '/',
      anchor: 'nav[aria-label="Main"] a[href="/sessions"]',
    },
  ]
}

const WITHOUT_REFLECTION: readonly TourStep[] = [
  {
    title: 'Reflections',
    text: 'A reflection is an AI version of a person, made from what they wrote and said. Create your first one here.',
    href: '/',
    anchor: 'nav[aria-label="Main"] a[href="/reflections"]',
  },
]

const TABS = '[aria-label="Parts of the reflection"]'

function listReflectionSteps({ id, role }: Pick<Reflection, 'id' | 'role'>): readonly TourStep[] {
  const page = `/reflections/${id}`
  return [
    {
      title: 'Talk to it',
      text: 'A reflection is an AI version of a person, made from what they wrote and said. This button starts a conversation, by voice or text.',
      href: '/',
      anchor: '[data-tour="talk"]',
    },
    {
      title: 'Where answers come from',
      text: 'Everything comes from your sources. Every answer shows its supporting quote and opens it in the source.',
      href: page,
      anchor: `${TABS} a[href$="/sources"]`,
    },
    {
      title: 'Public and private',
      text: 'Its knowledge is organized in folders. Only members can see private folders.',
      href: page,
      anchor: 'ul[aria-label="Folders"]',
    },
    ...(toRights(role).mayManage ? listPublishingSteps(page) : []),
  ]
}

const listPublishingSteps = (page: string): readonly TourStep[] => [
  {
    title: 'Publish a folder',
    text: 'You see a preview before anything becomes public. Unpublishing takes effect at once: typed conversations end, and calls end at their next question.',
    href: page,
    anchor: 'button[aria-label^="Publish "]',
  },
  {
    title: 'Share it',
    text: 'A link lets anyone talk with the public part without signing in. You set its expiry and maximum uses.',
    href: page,
    anchor: `${TABS} a[href$="/share"]`,
  },
]

interface TourCardProps {
  readonly step: TourStep
  readonly position: number
  readonly count: number
  readonly onGo: (position: number) => void
  readonly onEnd: TourProps['onEnd']
}

function TourCard({ step, position, count, onGo, onEnd }: TourCardProps) {
  const card = useRef<HTMLDivElement>(null)
  const titleId = useId()
  const textId = useId()
  const anchor = useElementBox(step.anchor)
  const isLast = position === count - 1

  useEffect(() => card.current?.focus({ preventScroll: true }), [])
  useLayoutEffect(() => {
    const element = card.current
    if (!element) return
    const size = { width: element.offsetWidth, height: element.offsetHeight }
    const { left, top } = placeCard(anchor, size, { width: window.innerWidth, height: window.innerHeight })
    element.style.left = `${left}px`
    element.style.top = `${top}px`
  })
  return (
    <>
      {anchor && <AnchorRing anchor={anchor} />}
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
            {position + 1} of {count}
          </p>
        </div>
        <p id={textId} className="text-sm leading-6">
          {step.text}
        </p>
        <div className="mt-1 flex items-center gap-2">
          <Button variant="primary" onClick={() => (isLast ? onEnd('done') : onGo(position + 1))}>
            {isLast ? 'Done' : 'Next'}
          </Button>
          {position > 0 && <Button onClick={() => onGo(position - 1)}>Back</Button>}
          {!isLast && (
            <Button variant="ghost" className="ms-auto" onClick={() => onEnd('skipped')}>
              Skip tour
            </Button>
          )}
        </div>
      </div>
    </>
  )
}

/** Highlights the step's element without catching clicks. */
function AnchorRing({ anchor }: { anchor: ElementBox }) {
  const { left, top, width, height } = anchor
  return (
    <div
      aria-hidden="true"
      className="border-accent pointer-events-none fixed z-30 rounded-md border-2"
      style={{ left: left - 4, top: top - 4, width: width + 8, height: height + 8 }}
    />
  )
}

type ElementBox = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>
type ElementSize = Pick<DOMRect, 'width' | 'height'>

const GAP = 12

/** Places a card beside its anchor, otherwise below, above or in the corner. */
export function placeCard(
  anchor: ElementBox | undefined,
  card: ElementSize,
  view: ElementSize,
): { readonly left: number; readonly top: number } {
  const corner = { left: view.width - card.width - GAP, top: view.height - card.height - GAP }
  if (!anchor) return keepInView(corner, card, view)
  const beside = anchor.left + anchor.width + GAP
  const below = anchor.top + anchor.height + GAP
  const above = anchor.top - card.height - GAP
  if (beside + card.width + GAP <= view.width)
    return keepInView({ left: beside, top: anchor.top }, card, view)
  if (below + card.height + GAP <= view.height)
    return keepInView({ left: anchor.left, top: below }, card, view)
  if (above >= GAP) return keepInView({ left: anchor.left, top: above }, card, view)
  return keepInView(corner, card, view)
}

const keepInView = ({ left, top }: { left: number; top: number }, card: ElementSize, view: ElementSize) => ({
  left: clamp(left, view.width - card.width - GAP),
  top: clamp(top, view.height - card.height - GAP),
})

const clamp = (value: number, most: number) => Math.max(GAP, Math.min(value, most))

/** Tracks the box of the first visible element that matches; undefined without one. */
function useElementBox(selector: string): ElementBox | undefined {
  const [box, setBox] = useState<DOMRect>()
  useEffect(() => {
    let frame = 0
    let tracked: Element | undefined
    const update = () => {
      const element = [...document.querySelectorAll(selector)].find((one) => one.checkVisibility())
      if (element && element !== tracked) element.scrollIntoView({ block: 'nearest' })
      tracked = element
      const current = element?.getBoundingClientRect()
      setBox((before) => (JSON.stringify(before) === JSON.stringify(current) ? before : current))
      frame = requestAnimationFrame(update)
    }
    frame = requestAnimationFrame(update)
    return () => cancelAnimationFrame(frame)
  }, [selector])
  return box
}
