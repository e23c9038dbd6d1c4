import type { Reflection, VoiceArtifacts } from '@parley/contracts'
import type { SessionPlan } from './plan-session.ts'

/** Each source is read at most once, and only if the session may use it. */
export interface ExtraSources {
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

export interface ExtrasRequest {
  readonly reflection: Pick<Reflection, 'displayName' | 'creatorName'>
  readonly plan: Pick<SessionPlan, 'mode' | 'audience' | 'surface' | 'namespaces' | 'partOf'>
  readonly sources: ExtraSources
}
