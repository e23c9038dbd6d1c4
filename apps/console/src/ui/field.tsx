import { type ComponentProps, type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react'
import { MAX_SEARCH_LENGTH, useDebounced } from './use-debounced.ts'

const INPUT =
  'placeholder:text-soft border-edge focus:border-accent bg-paper min-h-9 w-full min-w-0 rounded-md border px-2 text-sm outline-offset-0 max-sm:min-h-11'

interface Labelled {
  readonly label: string
  readonly help?: ReactNode
}

export function TextField({ label, help, ...rest }: ComponentProps<'input'> & Labelled) {
  return (
    <Field label={label} help={help}>
      {(names) => <input autoComplete="off" {...names} {...rest} className={INPUT} />}
    </Field>
  )
}

export function TextArea({ label, help, ...rest }: ComponentProps<'textarea'> & Labelled) {
  return (
    <Field label={label} help={help}>
      {(names) => <textarea {...names} {...rest} className={`${INPUT} py-1.5 leading-6`} />}
    </Field>
  )
}

interface ChoiceProps extends Labelled {
  readonly value: string
  readonly options?: Readonly<Record<string, string>>
  readonly onChoose: (value: string) => void
  readonly children?: ReactNode
}

export function Choice({ label, help, value, options = {}, onChoose, children }: ChoiceProps) {
  return (
    <Field label={label} help={help}>
      {(names) => (
        <select {...names} value={value} onChange={({ target }) => onChoose(target.value)} className={INPUT}>
          {children}
          {Object.entries(options).map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: ReactNode
  readonly help?: ReactNode
  readonly type?: 'checkbox' | 'radio'
  readonly onCheck: (isChecked: boolean) => void
}

/** A checkbox or a radio button, with an explanation below its label. */
export function CheckField({ label, help, type = 'checkbox', onCheck, ...rest }: CheckFieldProps) {
  return (
    <label className="flex items-baseline gap-2 py-1 text-sm leading-6 has-disabled:opacity-50 max-sm:py-2.5">
      <input type={type} onChange={({ target }) => onCheck(target.checked)} {...rest} />
      <span className="min-w-0 wrap-anywhere">
        {label}
        {help && <span className="text-soft block max-w-prose">{help}</span>}
      </span>
    </label>
  )
}

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  readonly search: string
  readonly onSearch: (search: string) => void
}

/** Searches after a pause in typing, and follows other changes of the search text. */
export function SearchField({ label, placeholder, search, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(search)
  const [last, setLast] = useState(search)
  if (search !== last) {
    setLast(search)
    if (search !== text.trim()) setText(search)
  }
  const settled = useDebounced(text.trim())
  const searchSettled = useEffectEvent(() => settled === search || onSearch(settled))
  useEffect(() => void searchSettled(), [settled])
  return (
    <TextField
      label={label}
      type="search"
      maxLength={MAX_SEARCH_LENGTH}
      placeholder={placeholder}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={({ key, nativeEvent }) => {
        if (key === 'Enter' && !nativeEvent.isComposing) onSearch(text.trim())
      }}
    />
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
