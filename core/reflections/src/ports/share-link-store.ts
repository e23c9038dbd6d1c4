import type { CreateShareLink, PersonId, ReflectionId, SessionId, ShareLink } from '@parley/contracts'

export interface ShareLinkStore {
  /** Also records it in the audit log. Throws `validation` for an unknown namespace. */
  create(link: NewShareLink, by: PersonId): Promise<ShareLink>
  /** Latest first, including expired links. */
  list(reflectionId: ReflectionId): Promise<readonly ShareLink[]>
  /**
   * Revokes a link for good: its visitors and their sessions lose all access. Returns the sessions that were active;
   * undefined if the reflection has no such link.
   */
  revoke(reflectionId: ReflectionId, linkId: string, by: PersonId): Promise<readonly SessionId[] | undefined>
  find(linkId: string, signal?: AbortSignal): Promise<ShareLink | undefined>
  /**
   * Undefined for an unknown, expired, revoked or used-up link, after the same single statement. A session takes its use
   * when it is opened (`ReflectionSessionStore.open`).
   */
  findUsable(tokenHash: Uint8Array, signal?: AbortSignal): Promise<ShareLink | undefined>
  /** The sums over the link's sessions since then. */
  readUsage(linkId: string, since: LinkUsageQuery, signal?: AbortSignal): Promise<LinkUsage>
  /** The link of a visitor's session, and the session's cost. */
  findVisitorSession(sessionId: SessionId): Promise<VisitorSession | undefined>
}

export interface NewShareLink extends Omit<CreateShareLink, 'namespaces'> {
  readonly namespaces?: readonly string[] | undefined
  readonly reflectionId: ReflectionId
  readonly tokenHash: Uint8Array
}

export interface VisitorSession {
  readonly linkId: string
  /** The stored cost. */
  readonly microcents: number
}

export interface LinkUsageQuery {
  /** Starts and costs count from this time. */
  readonly since: string
  /** Sessions with activity since this time count as active. */
  readonly activeSince: string
}

export interface LinkUsage {
  /** Sessions and reconnects. */
  readonly started: number
  readonly active: number
  readonly microcents: number
}
