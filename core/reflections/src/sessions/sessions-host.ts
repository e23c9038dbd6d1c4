import {
  type Audience,
  type PersonId,
  type Reflection,
  type Role,
  type Transport,
  PlatformError,
  type SessionId,
  type ShareLink,
} from '@parley/contracts'
import type { SessionStore, Sessions, Wait } from '@parley/engine'
import type { NamespaceReach, SessionRoleHost } from '../access/session-role.ts'
import type { SessionHints } from '../starting/plan-session.ts'
import type { ShareLinkStore } from '../ports/share-link-store.ts'
import type { ArtifactReader } from '../ports/artifact-store.ts'
import type { ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { SpokenStartHost, TypedStartHost, VoiceHost } from '../starting/starting-host.ts'

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

/** Everything that sessions with reflections need. */
export interface ReflectionSessionsHost
  extends
    SessionRoleHost,
    Pick<TypedStartHost, 'offRecord' | 'publicScopes' | 'getDefaultAgent' | 'errors' | 'sha256'> {
  readonly sessions: Pick<Sessions, 'start' | 'fork' | 'remove'>
  readonly store: Pick<SessionStore, 'find' | 'readTail' | 'readMessages'>
  readonly sessionRows: ReflectionSessionStore
  readonly runtime: Pick<ArtifactReader, 'readPromoted' | 'readPromotedEvidence'>
  readonly shareLinks: Pick<ShareLinkStore, 'find' | 'readUsage'>
  /** Absent if the server has no voice provider. */
  readonly spoken?: VoiceHost | undefined
  readonly voice?: { readonly provider: CallControl } | undefined
  readonly logger: WarningLog
  readonly newSessionId: () => SessionId
  /** Aborts after so many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal
}

type CallControl = Pick<VoiceProvider, 'endConversation' | 'removeConversation'>

export interface WarningLog {
  warn(about: object, message: string): void
}

/** The host of calls. Throws if the server has no voice provider. */
export function requireVoice(host: ReflectionSessionsHost, wait: Wait): SpokenStartHost {
  if (host.spoken) return { ...host, ...host.spoken, wait }
  throw new PlatformError('provider_unavailable', {
    message: 'This server has no voice provider. Start it with parley up, or configure one.',
  })
}
