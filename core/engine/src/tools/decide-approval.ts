import type { Agent, ToolGrant } from '@parley/contracts'
import type { Answer } from '../ports/tools.ts'

interface Asked {
  /** What an answer for the session would allow; undefined where none may hold so long. */
  readonly grant: ToolGrant | undefined
  readonly inputHash: string
}

export type Approval =
  | { readonly kind: 'allowed'; readonly by: 'session' | 'person' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'asks' }

/** Whether a call that needs a person's word has it: their answer to exactly this call, or one for the session. */
export function decideApproval(
  { grant, inputHash }: Asked,
  answer: Answer | undefined,
  grants: readonly ToolGrant[],
): Approval {
  if (answer?.decision === 'refuse') return { kind: 'refused' }
  // An answer to something else, such as a file that was changed since, is none; nor is the grant that came with it.
  if (answer) return answer.inputHash === inputHash ? { kind: 'allowed', by: 'person' } : { kind: 'asks' }
  if (grant && grants.some((given) => isSame(given, grant))) return { kind: 'allowed', by: 'session' }
  return { kind: 'asks' }
}

export const isSame = (a: ToolGrant, b: ToolGrant): boolean =>
  a.tool === b.tool && a.target === b.target && a.pin === b.pin

/** The agent as a session has it that asked for some of its tools: it never gets others. */
export function narrowTools(agent: Agent, asked: readonly string[] | undefined): Agent {
  if (asked === undefined) return agent
  return { ...agent, tools: (agent.tools ?? []).filter((tool) => asked.includes(tool)) }
}
