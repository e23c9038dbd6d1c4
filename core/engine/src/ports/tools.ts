import type { ToolCall, ToolOutcome } from '@parley/contracts'
import type { ToolDeclaration } from './model.ts'

/** The tools of one session. Never throws: what goes wrong is an outcome for the model to read. */
export interface ToolPort {
  readonly declarations: readonly ToolDeclaration[]
  run(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>
}

export const noTools: ToolPort = {
  declarations: [],
  run: async ({ name }) => ({
    kind: 'failed',
    code: 'tool_unavailable',
    text: `There is no tool "${name}" here.`,
  }),
}
