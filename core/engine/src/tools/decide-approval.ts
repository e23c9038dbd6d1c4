import type { ToolGrant } from '@parley/contracts'
import type { ApprovalAnswer } from '../ports/tools.ts'

interface ApprovalSubject {
  /** The grant of an answer for the session; undefined if the call must be approved each time. */
  readonly grant: ToolGrant | undefined
  readonly inputHash: string
}

export type ApprovalOutcome =
  | { readonly kind: 'allowed'; readonly by: 'session' | 'person' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'asks' }

/** Whether a call has the approval it needs: an answer to exactly this call, or a session grant. */
export function decideApproval(
  { grant, inputHash }: ApprovalSubject,
  answer: ApprovalAnswer | undefined,
  grants: readonly ToolGrant[],
): ApprovalOutcome {
  if (answer?.decision === 'refuse') return { kind: 'refused' }
  // An answer to another question, such as an earlier version of a file, does not count, nor does its grant.
  if (answer) return answer.inputHash === inputHash ? { kind: 'allowed', by: 'person' } : { kind: 'asks' }
  if (grant && grants.some((given) => isSameGrant(given, grant))) return { kind: 'allowed', by: 'session' }
  return { kind: 'asks' }
}

export const isSameGrant = (a: ToolGrant, b: ToolGrant): boolean =>
  a.tool === b.tool && a.target === b.target && a.pin === b.pin
