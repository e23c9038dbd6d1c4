import type { ComponentProps } from 'react'
import { Button } from './button.tsx'

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'onKeyDown'> {
  /** Whether submitting does nothing. */
  readonly isDisabled?: boolean
  readonly onSubmit?: () => void
  readonly onCancel?: () => void
}

/** A form that is handled by the page and never sent by the browser. */
export const Form = ({ isDisabled = false, onSubmit, onCancel, ...rest }: FormProps) => (
  <form
    onSubmit={(event) => {
      event.preventDefault()
      if (!isDisabled) onSubmit?.()
    }}
    onKeyDown={(event) => event.key === 'Escape' && !event.nativeEvent.isComposing && onCancel?.()}
    {...rest}
  />
)

interface FormButtonsProps extends Omit<ComponentProps<'button'>, 'type'> {
  readonly onCancel: () => void
}

/** The button that submits a form, and Cancel. */
export const FormButtons = ({ onCancel, ...submit }: FormButtonsProps) => (
  <div className="flex gap-2">
    <Button type="submit" variant="primary" {...submit} />
    <Button variant="ghost" onClick={onCancel}>
      Cancel
    </Button>
  </div>
)
