import type { Audience, Role, AgentAction } from '@parley/contracts'
import type { Variables } from './apply-dynamic-extras-budget.ts'
import { type VariablesFor, extrasFor } from './variable-matrix.ts'
import type { ExtraName } from './variable-name.ts'
import { list, text, type VariableValue } from './variable-value.ts'

export type Extras = Readonly<Partial<Record<ExtraName, VariableValue>>>

/** The facts about a session that every agent gets. */
export interface SessionFacts {
  readonly reflectionId: string
  readonly conversationId: string
  readonly bindSig: string
  readonly offRecord: boolean
  readonly role: Role
  /** Undefined for a visitor. */
  readonly personId?: string
  readonly actions: readonly AgentAction[]
  readonly audience: Audience
  readonly namespaces: readonly string[]
}

/** The variables of a session: the known values that the matrix allows for its kind. */
export function buildDynamicVariables(
  facts: SessionFacts,
  kind: VariablesFor,
  known: Extras,
  sha256: (text: string) => string,
): Variables {
  const extras = extrasFor(kind).flatMap((name) => {
    const value = known[name]
    return value ? [[name, value] as const] : []
  })
  return {
    reflection_id: text(facts.reflectionId),
    conversation_id: text(facts.conversationId),
    conversation_bind_sig: text(facts.bindSig),
    off_record: text(String(facts.offRecord)),
    actor_type: text(facts.role),
    user_id: text(sha256(facts.personId ?? facts.conversationId).slice(0, USER_ID_LENGTH)),
    allowed_actions: list(facts.actions),
    session_access_scope: text(`${facts.audience}:${namespacesHash(facts.namespaces, sha256)}`),
    ...Object.fromEntries(extras),
  }
}

const USER_ID_LENGTH = 16

/** A hash of the namespaces, in any order. */
export const namespacesHash = (namespaces: readonly string[], sha256: (text: string) => string): string =>
  sha256(JSON.stringify([...new Set(namespaces)].toSorted()))
