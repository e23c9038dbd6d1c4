import type { ReactNode } from 'react'
import { escapeInvisible } from './escape-invisible.ts'

interface CodeBoxProps {
  readonly label: string
  /** The size of the box and the space around its text. */
  readonly className?: string
  /** A text is shown with its invisible characters escaped. */
  readonly children: ReactNode
}

/** A scrollable box of code or of lines, which the keyboard reaches too. */
export const CodeBox = ({ label, className = 'max-h-80 px-2.5', children }: CodeBoxProps) => (
  <div
    role="group"
    aria-label={label}
    tabIndex={0}
    dir="ltr"
    className={`bg-shade border-line overflow-auto rounded-sm border py-1.5 font-mono text-xs leading-5 [tab-size:4] wrap-anywhere whitespace-pre-wrap ${className}`}
  >
    {typeof children === 'string' ? escapeInvisible(children) : children}
  </div>
)
