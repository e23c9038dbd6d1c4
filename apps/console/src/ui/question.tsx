import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { messageOf } from './message-of.ts'
import { Notice } from './notice.tsx'

interface QuestionProps {
  readonly label: string
  readonly yes: string
  readonly no: string
  readonly look?: 'main' | 'alarm'
  /** What is done once the answer was yes. */
  readonly doing: { readonly isPending: boolean; readonly error: Error | null; readonly mutate: () => void }
  /** False until there is enough to say yes to. */
  readonly mayYes?: boolean
  /** Where the keys start: at the harmless answer, or at a field of the question's own. */
  readonly startsAt?: 'no' | 'field'
  readonly reasonOf?: (failure: Error) => string
  readonly onClose: () => void
  readonly children: ReactNode
  /** Below the answers, so that they stay where they are when it comes. */
  readonly after?: ReactNode
}

/** Asks before something is done that cannot simply be undone. */
export function Question(props: QuestionProps) {
  const { label, yes, no, look = 'alarm', doing, mayYes = true, startsAt = 'no', onClose } = props
  const { reasonOf = messageOf } = props
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (box.current && startsAt === 'no') focusFromItsBeginning(box.current)
  }, [startsAt])
  const isHeld = doing.isPending || !mayYes
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    onClose()
  }
  return (
    <div
      ref={box}
      role="group"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="flex scroll-mt-20 flex-col gap-3 text-sm leading-6 outline-none"
    >
      {props.children}
      <div className="flex flex-wrap gap-2">
        <Button look={look} aria-disabled={isHeld} onClick={() => isHeld || doing.mutate()}>
          {yes}
        </Button>
        <Button look="bare" data-first={startsAt === 'no' || undefined} onClick={onClose}>
          {no}
        </Button>
      </div>
      {doing.error && <Notice>{reasonOf(doing.error)}</Notice>}
      {props.after}
    </div>
  )
}

/**
 * The keys go to the harmless answer where all of the question is in sight with it; else to its beginning, so that
 * nobody comes to the answers past what they are asked.
 */
function focusFromItsBeginning(question: HTMLElement): void {
  const room = question.closest('[data-scrolls]')?.clientHeight ?? window.innerHeight
  const isInSight = question.offsetHeight + HEADING_PX <= room
  const first = isInSight ? question.querySelector<HTMLElement>('[data-first]') : question
  first?.focus({ preventScroll: true })
  question.scrollIntoView({ block: isInSight ? 'nearest' : 'start' })
}

/** What stands above it and names what it is about: as much as the question keeps free of the top. */
const HEADING_PX = 80
