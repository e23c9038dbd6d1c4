import type { ErrorCode, PersonId, Reflection, ReflectionId, SessionId, Transport } from '@parley/contracts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { ExtraSources } from './extras-of.ts'
import type { SessionPlan } from './plan-session.ts'
import type { AgentsHost } from './resolve-session-agent.ts'
import type { Wait } from './within-deadline.ts'

/** What every start works with. */
export interface StartingHost extends AgentsHost {
  readonly provider: Pick<VoiceProvider, 'getSignedUrl' | 'getConversationToken'>
  readonly sessions: Pick<ReflectionSessionStore, 'open' | 'bind' | 'fail'>
  readonly scopes: PublicScopePort
  /** Undefined where the reflection is gone. */
  readonly publishRevisionOf: (reflectionId: ReflectionId, signal: AbortSignal) => Promise<number | undefined>
  readonly errors: ErrorReporter
  /** Of a conversation id, by the secret that is current. */
  readonly bindSig: (conversationId: string) => string
  readonly sha256: Sha256
  readonly wait: Wait
}

/** What a public session may see, opened before its agent can ask for anything. */
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

/** Where failures are told of that nobody waits for. Never throws. */
export interface ErrorReporter {
  capture(failure: unknown, about: { readonly sessionId: SessionId; readonly code: ErrorCode }): void
}

/** A conversation that is to be spoken. */
export interface Conversation {
  readonly sessionId: SessionId
  readonly reflection: Pick<Reflection, 'id' | 'displayName' | 'creatorName' | 'publishRevision'>
  readonly personId: PersonId
  readonly plan: SessionPlan
  readonly transport: Transport
  readonly sources: ExtraSources
}

export interface ConversationOpening extends Conversation {
  readonly visitor?: { readonly linkId: string; readonly tokenHash: Uint8Array } | undefined
  /** Keeps what the conversation will be read and resumed as; absent off the record. */
  readonly record?: ConversationRecord | undefined
}

export interface ConversationRecord {
  keep(variables: Readonly<Record<string, string>>, plan: SessionPlan, signal: AbortSignal): Promise<void>
  /** For a conversation that did not start: what is just being kept goes too. */
  discard(): Promise<void>
}
