import type { CreateShareLink, PersonId, ReflectionId, SessionId, ShareLink } from '@parley/contracts'

export type { ShareLink }

export interface ShareLinkStore {
  /** That it was made is on record with it. Throws `validation` where a namespace is not there. */
  create(link: NewShareLink, by: PersonId): Promise<ShareLink>
  /** Latest first, those that are over too. */
  list(reflectionId: ReflectionId): Promise<readonly ShareLink[]>
  /**
   * From then on its visitors are nobody, and what their sessions could see is gone. Which of their sessions were on, or
   * undefined where there is no such link of this reflection. Once revoked it stays so.
   */
  revoke(reflectionId: ReflectionId, linkId: string, by: PersonId): Promise<readonly SessionId[] | undefined>
  find(linkId: string, signal?: AbortSignal): Promise<ShareLink | undefined>
  /**
   * Undefined where the link is not there, over, revoked or used up; one statement, whichever it is. A use is taken when
   * a session is opened (`ReflectionSessionStore.open`).
   */
  look(tokenHash: Uint8Array, signal?: AbortSignal): Promise<ShareLink | undefined>
  /** What the link's sessions since then come to. */
  usage(linkId: string, since: LinkUsageQuery, signal?: AbortSignal): Promise<LinkUsage>
  /** The link that a visitor's session came by, and what the session has cost. */
  ofSession(sessionId: SessionId): Promise<VisitorSession | undefined>
}

export interface NewShareLink extends Omit<CreateShareLink, 'namespaces'> {
  readonly namespaces?: readonly string[] | undefined
  readonly reflectionId: ReflectionId
  readonly tokenHash: Uint8Array
}

export interface VisitorSession {
  readonly linkId: string
  /** As far as it is kept. */
  readonly microcents: number
}

export interface LinkUsageQuery {
  /** From when on starts and costs count. */
  readonly since: string
  /** From when on something must have happened in a session for it to count as on. */
  readonly activeSince: string
}

export interface LinkUsage {
  /** Sessions and reconnects. */
  readonly started: number
  readonly active: number
  readonly microcents: number
}
