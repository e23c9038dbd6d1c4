import {
  type Audience,
  type PersonId,
  PlatformError,
  type Reflection,
  type Role,
  type SessionContext,
  type Transport,
} from '@parley/contracts'
import type { NamespaceReach } from '../access/session-role.ts'
import type { SessionHints } from '../modes/derive-session-mode.ts'
import type { ShareLink } from '../ports/share-link-store.ts'
import type { PlanRefused, SessionPlan } from '../starting/plan-session.ts'

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
  /** Of a visitor: their link, and the hash of the token that they will use. */
  readonly visitor?: { readonly link: ShareLink; readonly tokenHash: Uint8Array }
  readonly title?: string
  /** Variables of a typed session's context; they are echoed in its first event. */
  readonly variables?: Readonly<Record<string, string>>
  /** Of a spoken session; WebSocket if absent. */
  readonly transport?: Transport
}

/** A reflection works in no folder, and readers of the events see none. */
export const NO_FOLDER: SessionContext = { workingDir: '.', fsScopeTier: 'sandboxed' }

/** The plan, or its refusal as an error. */
export function requirePlan(plan: SessionPlan | PlanRefused): SessionPlan {
  if (plan.kind === 'planned') return plan
  const { code, message, missing } = plan
  throw new PlatformError(code, { message, ...(missing && { missing: [...missing] }) })
}
