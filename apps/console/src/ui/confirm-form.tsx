import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { getErrorMessage } from './error-message.ts'
import { focusPage, useFocusAfter } from './focus.ts'
import { Notice } from './notice.tsx'
import { useDisclosure } from './use-disclosure.ts'

interface ConfirmFormProps {
  readonly label: string
  /** The answer that starts the action. */
  readonly yes: string
  /** The harmless answer. */
  readonly no?: string
  readonly variant?: 'primary' | 'danger'
  readonly action: { readonly isPending: boolean; readonly error: Error | null; readonly mutate: () => void }
  /** False while yes is disabled. */
  readonly isReady?: boolean
  /** The initial focus: the harmless answer, or a field in the form. */
  readonly startsAt?: 'no' | 'field'
  readonly describeError?: (failure: Error) => string
  readonly onClose: () => void
  readonly children: ReactNode
  /** Below the buttons, so they do not move when it appears. */
  readonly after?: ReactNode
}

/** Asks for confirmation before an action that is hard to undo. */
export function ConfirmForm(props: ConfirmFormProps) {
  const { label, yes, no = 'Cancel', variant = 'danger', action, isReady = true, onClose } = props
  const { startsAt = 'no', describeError = getErrorMessage } = props
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (box.current && startsAt === 'no') focusForm(box.current)
  }, [startsAt])
  const isDisabled = action.isPending || !isReady
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
        <Button variant={variant} aria-disabled={isDisabled} onClick={() => isDisabled || action.mutate()}>
          {yes}
        </Button>
        <Button variant="ghost" data-first={startsAt === 'no' || undefined} onClick={onClose}>
          {no}
        </Button>
      </div>
      {action.error && <Notice>{describeError(action.error)}</Notice>}
      {props.after}
    </div>
  )
}

/** Focuses the harmless answer if the whole form fits on screen, otherwise the form, so people read it first. */
function focusForm(form: HTMLElement): void {
  const visibleHeight = form.closest('[data-scrolls]')?.clientHeight ?? window.innerHeight
  const fits = form.offsetHeight + HEADING_HEIGHT <= visibleHeight
  const first = fits ? form.querySelector<HTMLElement>('[data-first]') : form
  first?.focus({ preventScroll: true })
  form.scrollIntoView({ block: fits ? 'nearest' : 'start' })
}

const HEADING_HEIGHT = 80

interface ConfirmButtonProps extends Omit<ConfirmFormProps, 'action' | 'onClose'> {
  /** The button's text, if it is shorter than the label. */
  readonly text?: string
  readonly button?: Pick<ButtonProps, 'variant' | 'className'>
  readonly action: {
    readonly isPending: boolean
    readonly error: Error | null
    readonly mutate: (input: void, options: { readonly onSuccess: () => void }) => void
    /** Forgets the last error. */
    readonly reset?: () => void
  }
  readonly onOpen?: () => void
}

/** A button whose action needs a confirmation, which opens below it and closes after the action. */
export function ConfirmButton({ text, button, action, onOpen, ...form }: ConfirmButtonProps) {
  const { isOpen, close, button: opener } = useDisclosure()
  const open = () => {
    if (!isOpen) {
      if (!action.isPending) action.reset?.()
      onOpen?.()
    }
    opener.onClick()
  }
  return (
    <>
      <Button {...button} {...opener} aria-label={form.label} onClick={open}>
        {text ?? form.label}
      </Button>
      {isOpen && (
        <BelowRow>
          <ConfirmForm
            {...form}
            action={{ ...action, mutate: () => action.mutate(undefined, { onSuccess: close }) }}
            onClose={close}
          />
        </BelowRow>
      )}
    </>
  )
}

/** Below all buttons of a wrapping row. The action may remove the row, so the focus then moves to the page. */
function BelowRow({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useFocusAfter(box, focusPage)
  return (
    <div ref={box} className="order-last basis-full pt-1">
      {children}
    </div>
  )
}
