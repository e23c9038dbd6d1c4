import type { ApprovalDecision, ToolCall, ToolOutcome } from '@parley/contracts'
import type { ToolRegistry } from '../ports/tools.ts'

interface FakeTools {
  readonly declarations?: ToolRegistry['declarations']
  /** What a person is asked about before the call runs; undefined where it runs by itself. */
  readonly asks?: (call: ToolCall) => string | undefined
  readonly run: (
    call: ToolCall,
    at: { readonly signal: AbortSignal; readonly decision: ApprovalDecision | undefined },
  ) => Promise<ToolOutcome>
}

/** Tools without a policy, which run whatever a person said, and are told what that was. */
export const fakeTools = ({ declarations = [], asks, run }: FakeTools): ToolRegistry => ({
  declarations,
  async decide(call, { answer }) {
    const target = asks?.(call)
    if (target !== undefined && !answer) return { kind: 'asks', target, grant: { tool: call.name, target } }
    return {
      kind: 'allowed',
      decided: { by: answer ? 'person' : 'policy' },
      carryOut: async (signal) => ({ outcome: await run(call, { signal, decision: answer?.decision }) }),
    }
  },
})
