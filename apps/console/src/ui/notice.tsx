import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { getErrorMessage } from './error-message.ts'

/** An alert in place, with an action to recover. */
export function Notice({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div
      role="alert"
      className="border-alarm flex flex-wrap items-center gap-x-4 gap-y-2 border-s-2 ps-3 text-sm"
    >
      <p className="text-alarm min-w-0 break-words">{children}</p>
      {action}
    </div>
  )
}

interface ErrorNoticeProps {
  /** Nothing is shown without an error. */
  readonly error: unknown
  /** Adds a button to try again. */
  readonly retry?: () => unknown
}

export function ErrorNotice({ error, retry }: ErrorNoticeProps) {
  if (!error) return null
  return (
    <Notice action={retry && <Button onClick={() => void retry()}>Try again</Button>}>
      {getErrorMessage(error)}
    </Notice>
  )
}

/** What a screen reader announces when it changes. */
export const Status = ({ children }: { children: ReactNode }) => (
  <p role="status" className="text-soft text-sm">
    {children}
  </p>
)
