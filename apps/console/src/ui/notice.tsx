import type { ReactNode } from 'react'

/** An error message in place, with an action to recover. */
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
