import { type ComponentType, type ReactNode, createContext } from 'react'
import type { AnswerPart, TranscriptTurn } from '@parley/api-client'

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
