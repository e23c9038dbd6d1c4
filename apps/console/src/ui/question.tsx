import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { messageOf } from './message-of.ts'
import { Notice } from './notice.tsx'

interface QuestionProps {
  readonly label: string
  readonly yes: string
  readonly no: string
  readonly look?: 'main' | 'alarm'
  /** The mutation that runs on yes. */
  readonly doing: { readonly isPending: boolean; readonly error: Error | null; readonly mutate: () => void }
  /** False while yes is disabled. */
  readonly mayYes?: boolean
  /** The initial focus: the harmless answer, or a field in the question. */
  readonly startsAt?: 'no' | 'field'
  readonly reasonOf?: (failure: Error) => string
  readonly onClose: () => void
  readonly children: ReactNode
  /** Below the buttons, so they do not move when it appears. */
  readonly after?: ReactNode
}

/** Asks for confirmation before an action that is hard to undo. */
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
 * Focuses the harmless answer if the whole question fits on screen; otherwise the start of the question, so people read it before the buttons.
 */
function focusFromItsBeginning(question: HTMLElement): void {
  const room = question.closest('[data-scrolls]')?.clientHeight ?? window.innerHeight
  const isInSight = question.offsetHeight + HEADING_PX <= room
  const first = isInSight ? question.querySelector<HTMLElement>('[data-first]') : question
  first?.focus({ preventScroll: true })
  question.scrollIntoView({ block: isInSight ? 'nearest' : 'start' })
}

/** Space for the heading above the question. */
const HEADING_PX = 80
