import type { VoiceArtifacts } from '@parley/contracts'

/** What the prompt and the variables of a session are made from. Each input is read on demand and at most once. */
export interface PromptInputs {
  /** The promoted artifacts. */
  readonly readPromoted: (signal: AbortSignal) => Promise<VoiceArtifacts | undefined>
  /** Whether the person has earlier sessions with the reflection. */
  readonly hasEarlierSessions: (signal: AbortSignal) => Promise<boolean>
  /** The person's own earlier sessions with the reflection, latest first. */
  readonly listEarlierSessions: (signal: AbortSignal) => Promise<readonly EarlierSession[]>
  /** The last messages of the latest one, in order. */
  readonly readLastMessages: (signal: AbortSignal) => Promise<readonly EarlierMessage[]>
  /** The messages of each earlier interview, in order. */
  readonly readInterviews: (signal: AbortSignal) => Promise<readonly Interview[]>
}

interface EarlierSession {
  /** ISO 8601. */
  readonly at: string
  readonly title?: string | undefined
}

export interface EarlierMessage {
  readonly who: 'person' | 'reflection'
  readonly text: string
}

export type Interview = readonly EarlierMessage[]
