import type { Reflection, VoiceArtifacts } from '@parley/contracts'
import type { SessionPlan } from './plan-session.ts'

/** Each source is read at most once, and only if the session may use it. */
export interface ExtraSources {
  /** What serves now. */
  readonly promoted: (signal: AbortSignal) => Promise<VoiceArtifacts | undefined>
  /** Whether the person has earlier sessions with the reflection. */
  readonly wasHere: (signal: AbortSignal) => Promise<boolean>
  /** The person's own earlier sessions with the reflection, latest first. */
  readonly earlier: (signal: AbortSignal) => Promise<readonly EarlierSession[]>
  /** What was said at the end of the latest of them, in order. */
  readonly lastSaid: (signal: AbortSignal) => Promise<readonly Saying[]>
  /** What was said in those of them that were interviews, each by itself and in order. */
  readonly interviews: (signal: AbortSignal) => Promise<readonly Interview[]>
}

export interface EarlierSession {
  /** ISO 8601. */
  readonly at: string
  readonly title?: string | undefined
}

export interface Saying {
  readonly who: 'person' | 'reflection'
  readonly text: string
}

export type Interview = readonly Saying[]

export interface ExtrasOf {
  readonly reflection: Pick<Reflection, 'displayName' | 'creatorName'>
  readonly plan: Pick<SessionPlan, 'mode' | 'audience' | 'surface' | 'namespaces' | 'partOf'>
  readonly sources: ExtraSources
}
