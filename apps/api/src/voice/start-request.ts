import type { Audience, PersonId, Reflection, Role } from '@parley/contracts'
import type { NamespaceReach, SessionHints, ShareLink } from '@parley/reflections'

/** A session with a reflection that somebody asks for, spoken or typed; who they are is settled by then. */
export interface StartRequest {
  readonly reflection: Reflection
  readonly personId: PersonId
  readonly role: Role
  /** Of a member who does not reach everything. */
  readonly reach?: NamespaceReach
  readonly audience: Audience
  readonly hints: SessionHints
  readonly offRecord: boolean
  /** Of a visitor: the link that they came by, and what they will come with. */
  readonly visitor?: { readonly link: ShareLink; readonly tokenHash: Uint8Array }
  readonly title?: string
  /** Of its context, what is echoed when it starts. */
  readonly variables?: Readonly<Record<string, string>>
}
