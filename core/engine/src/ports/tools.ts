import type { ApprovalDecision, ToolCall, ToolOutcome } from '@parley/contracts'
import type { ToolDeclaration } from './model.ts'

/** A call that goes on only once a person has decided. */
export interface NeedsPerson {
  readonly kind: 'needs-person'
  /** What the call would reach: a path, a host, a command. */
  readonly target: string
}

export interface CallCircumstances {
  readonly signal: AbortSignal
  /** What the person said, where the call has waited for them. */
  readonly decision?: ApprovalDecision
}

/** The tools of one session. Never throws: what goes wrong is an outcome for the model to read. */
export interface ToolPort {
  readonly declarations: readonly ToolDeclaration[]
  run(call: ToolCall, circumstances: CallCircumstances): Promise<ToolOutcome | NeedsPerson>
}

export const noTools: ToolPort = {
  declarations: [],
  run: async ({ name }) => ({
    kind: 'failed',
    code: 'tool_unavailable',
    text: `There is no tool "${name}" here.`,
  }),
}
