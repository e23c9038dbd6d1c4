import type { ToolConfig } from '../agents/tool-document.ts'
import type { AgentToolResult } from './agent-tool.ts'

type Mode = ToolConfig['tool_error_handling_mode']

/** A failed call, with as much of the reason for the model as its configuration allows. */
export const toolFailure = (problem: string, mode: Mode): AgentToolResult => ({
  kind: 'failed',
  text: FOR_MODEL[mode](problem),
  problem,
})

const hidden = () => 'The tool failed. Say that it did not work, without guessing what it would have said.'

const FOR_MODEL: Readonly<Record<Mode, (problem: string) => string>> = {
  auto: hidden,
  hide: hidden,
  summarized: (problem) => `The tool failed: ${problem.split(':', 1)[0]}.`,
  passthrough: (problem) => `The tool failed: ${problem}.`,
}
