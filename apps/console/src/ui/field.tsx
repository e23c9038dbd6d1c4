import { type ComponentProps, type ReactNode, useId } from 'react'

const LOOK =
  'placeholder:text-soft border-edge focus:border-accent bg-paper min-h-9 w-full min-w-0 rounded-md border px-2 text-sm outline-offset-0 max-sm:min-h-11'

interface Labelled {
  readonly label: string
  readonly help?: ReactNode
}

export function TextField({ label, help, ...rest }: ComponentProps<'input'> & Labelled) {
  return (
    <Field label={label} help={help}>
      {(names) => <input autoComplete="off" {...names} {...rest} className={LOOK} />}
    </Field>
  )
}

export function TextArea({ label, help, ...rest }: ComponentProps<'textarea'> & Labelled) {
  return (
    <Field label={label} help={help}>
      {(names) => <textarea {...names} {...rest} className={`${LOOK} py-1.5 leading-6`} />}
    </Field>
  )
}

export function Choice({ label, help, ...rest }: ComponentProps<'select'> & Labelled) {
  return (
    <Field label={label} help={help}>
      {(names) => <select {...names} {...rest} className={LOOK} />}
    </Field>
  )
}

interface FieldNames {
  readonly id: string
  readonly 'aria-describedby': string | undefined
}

function Field({ label, help, children }: Labelled & { children: (names: FieldNames) => ReactNode }) {
  const id = useId()
  const helpId = useId()
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': help ? helpId : undefined })}
      {help && (
        <p id={helpId} className="text-soft text-sm">
          {help}
        </p>
      )}
    </div>
  )
}
