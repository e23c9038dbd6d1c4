import type { LlmMessage } from '@parley/engine'
import type { AgentToolType, ToolCallEntry } from './conversation-record.ts'

/** The calls of a step, as the record shows them. */
export const toolCallEntries = (
  { content }: LlmMessage,
  typeOf: (name: string) => AgentToolType,
): readonly ToolCallEntry[] =>
  content.flatMap((part) =>
    part.type === 'tool_call'
      ? [
          {
            type: typeOf(part.call.name),
            request_id: part.call.id,
            tool_name: part.call.name,
            params_as_json: JSON.stringify(part.call.input),
            tool_has_been_called: true,
          },
        ]
      : [],
  )
