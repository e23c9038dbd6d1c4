import type { ReactNode } from 'react'

interface MessageViewProps {
  readonly role: 'user' | 'assistant'
  readonly name: string
  readonly text?: string
  readonly busy?: boolean
  readonly children?: ReactNode
}

/** One message with its author in the margin. */
export function MessageView({ role, name, text, busy = false, children }: MessageViewProps) {
  return (
    <article
      data-role={role}
      aria-label={name}
      aria-busy={busy}
      className="data-[role=user]:border-line grid gap-x-6 gap-y-1 data-[role=user]:border-t data-[role=user]:pt-6 data-[role=user]:first:border-t-0 data-[role=user]:first:pt-0 lg:grid-cols-[6rem_minmax(0,1fr)]"
    >
      <p
        aria-hidden="true"
        className="text-soft text-sm leading-[1.65rem] wrap-break-word max-lg:truncate lg:text-end"
      >
        {name}
      </p>
      <div className="flex min-w-0 flex-col gap-3">
        {text !== undefined && (
          <p className="font-serif text-[1.0625rem] leading-[1.65rem] wrap-anywhere whitespace-pre-wrap">
            {text}
          </p>
        )}
        {children}
      </div>
    </article>
  )
}
