import {
  type Audience,
  type PersonId,
  type Reflection,
  type Role,
  type SessionContext,
  type Transport,
  type Agent,
  type MobileSessionResponse,
  PlatformError,
  type SessionId,
  type StartedSession,
  type VoiceSessionResponse,
} from '@parley/contracts'
import type { SessionStore, Sessions, Wait } from '@parley/engine'
import type { NamespaceReach, SessionRoleHost } from '../access/session-role.ts'
import type { SessionHints } from '../starting/plan-session.ts'
import type { ShareLink, ShareLinkStore } from '../ports/share-link-store.ts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import type { RuntimeReader } from '../ports/artifact-store.ts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { TranscriptStore } from '../ports/transcript-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type {
  ErrorReporter,
  PublicScopePort,
  SessionStartHost,
  SpokenHost,
  StartingHost,
} from '../starting/starting-host.ts'

/** A session with a reflection that a known person or a visitor wants to start. */
export interface StartRequest {
  readonly reflection: Reflection
  readonly personId: PersonId
  readonly role: Role
  /** Set for a member who does not reach everything. */
  readonly reach?: NamespaceReach
  readonly audience: Audience
  readonly hints: SessionHints
  readonly offRecord: boolean
  /** Set for a visitor: their link, and the hash of their session token. */
  readonly visitor?: { readonly link: ShareLink; readonly tokenHash: Uint8Array }
  readonly title?: string
  /** Variables of a typed session's context; they are echoed in its first event. */
  readonly variables?: Readonly<Record<string, string>>
  /** For a spoken session; WebSocket if absent. */
  readonly transport?: Transport
}

/** A session with a reflection has no folder. */
export const NO_FOLDER: SessionContext = { workingDir: '.', fsScopeTier: 'sandboxed' }

/** The answer to each kind of client. */
export interface StartedAnswers {
  readonly text: StartedSession
  readonly web: VoiceSessionResponse
  readonly mobile: MobileSessionResponse
}

export type StartKind = keyof StartedAnswers
/** The kinds of clients that speak. */
export type SpokenKind = Exclude<StartKind, 'text'>

/** Everything that sessions with reflections need. */
export interface ReflectionSessionsHost extends SessionRoleHost {
  readonly sessions: Pick<Sessions, 'start' | 'fork' | 'remove'>
  readonly store: Pick<SessionStore, 'find' | 'readTail' | 'readMessages'>
  /** Keeps sessions in memory alone. */
  readonly offRecord: {
    admit(sessionId: SessionId, personId: PersonId, partner: 'reflection'): void
    forget(sessionId: SessionId): void
  }
  readonly sessionRows: ReflectionSessionStore
  readonly publicScopes: PublicScopePort
  readonly transcripts: Pick<TranscriptStore, 'close'>
  readonly runtime: Pick<RuntimeReader, 'readPromoted' | 'readPromotedEvidence'>
  readonly shareLinks: Pick<ShareLinkStore, 'find' | 'readUsage'>
  /** Absent if the server has no voice provider. */
  readonly spoken?: SpokenHost | undefined
  readonly voice?: { readonly provider: CallControl } | undefined
  readonly errors: ErrorReporter
  readonly logger: WarningLog
  /** The agent whose model reflections use. Throws if it is missing. */
  readonly defaultAgent: () => Agent
  readonly newSessionId: () => SessionId
  readonly sha256: Sha256
  /** Aborts after so many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal
}

type CallControl = Pick<VoiceProvider, 'endConversation' | 'removeConversation'>

export interface WarningLog {
  warn(about: object, message: string): void
}

export const toStartHost = (host: ReflectionSessionsHost, wait: Wait): SessionStartHost => ({
  sessionRows: host.sessionRows,
  scopes: host.publicScopes,
  readPublishRevision: async (reflectionId, signal) =>
    (await host.reflections.find(reflectionId, signal))?.publishRevision,
  errors: host.errors,
  sha256: host.sha256,
  wait,
})

/** Throws if the server has no voice provider. */
export function requireSpokenHost(host: ReflectionSessionsHost, wait: Wait): StartingHost {
  if (host.spoken) return { ...toStartHost(host, wait), ...host.spoken }
  throw new PlatformError('provider_unavailable', {
    message: 'This server has no voice provider. Start it with parley up, or configure one.',
  })
}
