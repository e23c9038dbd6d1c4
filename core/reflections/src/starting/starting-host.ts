import type {
  Channel,
  ErrorCode,
  PersonId,
  Reflection,
  ReflectionId,
  SessionId,
  Transport,
} from '@parley/contracts'
import type { Wait } from '@parley/engine'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { ExtraSources } from './extra-sources.ts'
import type { SessionPlan } from './plan-session.ts'
import type { AgentsHost } from './resolve-session-agent.ts'

/** The host of every start, typed or spoken. */
export interface SessionStartHost {
  readonly sessionRows: Pick<ReflectionSessionStore, 'open' | 'activateTyped' | 'activateSpoken' | 'fail'>
  readonly scopes: PublicScopePort
  /** Undefined if the reflection was removed. */
  readonly readPublishRevision: (
    reflectionId: ReflectionId,
    signal: AbortSignal,
  ) => Promise<number | undefined>
  readonly errors: ErrorReporter
  readonly sha256: Sha256
  readonly wait: Wait
}

/** The additional host of a spoken start. */
export interface SpokenHost extends AgentsHost {
  readonly provider: Pick<VoiceProvider, 'getSignedUrl' | 'getConversationToken'>
  /** Signs a conversation id with the current secret. */
  readonly bindSig: (conversationId: string) => string
}

export interface StartingHost extends SessionStartHost, SpokenHost {}

/** The database scopes of public sessions; created before the agent can call a tool. */
export interface PublicScopePort {
  create(
    scope: {
      readonly sessionId: SessionId
      readonly reflectionId: ReflectionId
      readonly namespaces: readonly string[]
    },
    signal: AbortSignal,
  ): Promise<unknown>
  end(sessionId: SessionId): Promise<void>
}

/** Reports failures that no caller waits for. Never throws. */
export interface ErrorReporter {
  capture(failure: unknown, about: { readonly sessionId: SessionId; readonly code: ErrorCode }): void
}

/** A session that will start now, typed or spoken. */
export interface PlannedSession {
  readonly sessionId: SessionId
  readonly channel: Channel
  readonly reflection: Pick<Reflection, 'id' | 'displayName' | 'creatorName' | 'publishRevision'>
  readonly personId: PersonId
  readonly plan: SessionPlan
  readonly sources: ExtraSources
  readonly visitor?: { readonly linkId: string; readonly tokenHash: Uint8Array } | undefined
}

/** A spoken session, new or active. */
export interface SpokenSession extends Omit<PlannedSession, 'channel' | 'visitor'> {
  readonly transport: Transport
}

export interface NewSpokenSession extends SpokenSession, PlannedSession {
  /** Absent off the record. */
  readonly record?: CallRecord | undefined
}

/** The stored session under which a call is read and resumed. */
export interface CallRecord {
  store(variables: Readonly<Record<string, string>>, plan: SessionPlan, signal: AbortSignal): Promise<void>
  /** Removes the session after a failed start, also while it is being stored. */
  discard(): Promise<void>
}
