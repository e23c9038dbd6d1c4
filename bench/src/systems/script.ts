import type { CallId, ToolOutcome } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'

/** The model and tool of both systems. They answer at once. */
export interface BenchScript {
  readonly model: ModelPort
  readonly runTool: () => Promise<ToolOutcome>
}

export const QUESTION = 'What did we say about the harbour, and when does the boat leave?'

export const TOOL_NAME = 'look-up'

/** Answers with `deltas` pieces of text. In a new session `toolRounds` calls come first, one in each step. */
export function createModelScript({
  deltas,
  toolRounds = 0,
}: {
  deltas: number
  toolRounds?: number
}): BenchScript {
  const messagesAtEnd = 1 + 2 * toolRounds
  return {
    model: {
      provider: 'bench',
      modelId: 'at-once',
      async *stream({ messages }) {
        if (messages.length < messagesAtEnd) {
          const id = `call-${messages.length}` as CallId
          yield { type: 'tool_call', call: { id, name: TOOL_NAME, input: { page: messages.length } } }
        } else {
          for (let sent = 0; sent < deltas; sent += 1) yield { type: 'text', text: 'tide, ' }
        }
        yield { type: 'finish', reason: 'completed', usage: { inputTokens: 100, outputTokens: deltas } }
      },
    },
    runTool: async () => ({ kind: 'ok', text: 'The boat leaves at seven, at high water.' }),
  }
}
