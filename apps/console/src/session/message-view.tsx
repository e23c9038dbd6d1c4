import { type ReactNode, type ComponentType, createContext } from 'react'
import type { AnswerPart, TranscriptTurn } from '@parley/api-client'

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

/** How a page customizes the answers of its transcript. */
export interface AnswerFrame {
  readonly agentName?: string
  readonly empty?: ReactNode
  readonly Below?: ComponentType<{ readonly turn: TranscriptTurn }>
  /** Parts rendered by `Below` are hidden in the answer. */
  readonly isShownBelow?: (part: AnswerPart) => boolean
}

export const AnswerFrameContext = createContext<AnswerFrame>({})

interface AsideProps {
  readonly summary: ReactNode
  readonly open?: boolean
  readonly children: ReactNode
}

export function Aside({ summary, open = false, children }: AsideProps) {
  return (
    <details open={open} className="text-soft text-sm leading-6">
      <summary className="hover:text-ink w-fit wrap-anywhere">{summary}</summary>
      <div className="border-line mt-2 flex flex-col gap-2 border-s ps-4">{children}</div>
    </details>
  )
}
