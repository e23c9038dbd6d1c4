import type {
  Agent,
  Channel,
  ErrorCode,
  PersonId,
  Reflection,
  ReflectionId,
  SessionContext,
  SessionId,
  Transport,
} from '@parley/contracts'
import type { SessionStore, Sessions, Wait } from '@parley/engine'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { SessionPlan } from './plan-session.ts'
import type { PromptInputs } from './prompt-inputs.ts'
import type { AgentsHost } from './resolve-session-agent.ts'

/** The host of every start. */
export interface StartHost {
  readonly sessionRows: Pick<ReflectionSessionStore, 'open' | 'activateTyped' | 'activateSpoken' | 'fail'>
  readonly sessions: Pick<Sessions, 'start' | 'remove'>
  readonly publicScopes: PublicScopePort
  readonly reflections: {
    find(
      reflectionId: ReflectionId,
      signal?: AbortSignal,
    ): Promise<Pick<Reflection, 'publishRevision'> | undefined>
  }
  /** The agent whose model reflections use. */
  readonly getDefaultAgent: () => Agent
  readonly errors: ErrorReporter
  readonly sha256: Sha256
  readonly wait: Wait
}

export interface TypedStartHost extends StartHost {
  readonly store: Pick<SessionStore, 'find'>
  /** Keeps sessions in memory alone. */
  readonly offRecord: {
    admit(sessionId: SessionId, personId: PersonId, partner: 'reflection'): void
    forget(sessionId: SessionId): void
  }
}

/** The voice provider, its agents, and the signature of their tool calls. */
export interface VoiceHost extends AgentsHost {
  readonly provider: Pick<VoiceProvider, 'getSignedUrl' | 'getConversationToken'>
  /** Signs a conversation id with the current secret. */
  readonly bindSig: (conversationId: string) => string
}

export interface SpokenStartHost extends StartHost, VoiceHost {}

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
  readonly reflection: Pick<
    Reflection,
    'id' | 'displayName' | 'creatorName' | 'publishRevision' | 'namespaces'
  >
  readonly personId: PersonId
  readonly plan: SessionPlan
  readonly inputs: PromptInputs
  readonly visitor?: { readonly linkId: string; readonly tokenHash: Uint8Array } | undefined
  readonly title?: string
  /** Variables of a typed session's context. */
  readonly variables?: Readonly<Record<string, string>>
  /** Of a spoken session. */
  readonly transport: Transport
}

/** A session with a reflection has no folder. */
export const NO_FOLDER: SessionContext = { workingDir: '.', fsScopeTier: 'sandboxed' }

/** A spoken session, new or active. */
export type SpokenSession = Pick<
  PlannedSession,
  'sessionId' | 'reflection' | 'personId' | 'plan' | 'inputs' | 'transport'
>
