import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { type ComponentType, createContext, type ReactNode } from 'react'

/** What a place that holds a transcript knows of its answers beyond what was said. */
export interface AnswerFrame {
  /** Who answers, where that is not the name of the agent. */
  readonly agentName?: string
  /** Stands where nothing has been said yet. */
  readonly empty?: ReactNode
  /** Stands below each answer. */
  readonly Below?: ComponentType<{ readonly turn: TranscriptTurn }>
  /** What is shown below is not shown within. */
  readonly isShownBelow?: (part: AnswerPart) => boolean
}

export const AnswerFrameContext = createContext<AnswerFrame>({})
