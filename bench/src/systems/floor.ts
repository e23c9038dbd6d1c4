import { randomUUID } from 'node:crypto'
import type { DurableContentPart, ToolCall } from '@parley/contracts'
import type { LlmMessage } from '@parley/engine'
import type { FloorMessage, FloorStore } from '../stores/floor-store.ts'
import { QUESTION, type ModelScript } from './script.ts'
import type { BenchSession, BenchSystem } from './system.ts'

/** How many messages our engine gives a model of the past. */
const TAIL = 200

/**
 * The floor: a bare loop over the same stream, with the same durable writes, and nothing else. `readsTail` where what is
 * measured includes the reading of what the model is given.
 */
export function createFloorSystem(
  store: FloorStore,
  script: ModelScript,
  { readsTail = false } = {},
): BenchSystem {
  const sessionOf = (id: string, stored: number): BenchSession => {
    let messageCount = stored
    const keep = async (role: FloorMessage['role'], content: LlmMessage['content']) => {
      const at = new Date().toISOString()
      messageCount += 1
      await store.append({
        sessionId: id,
        sequenceNumber: messageCount,
        role,
        content: JSON.stringify(content),
        at,
      })
      return { role, content }
    }

    return {
      id,
      async turn() {
        const messages: LlmMessage[] = [await keep('user', [{ type: 'text', text: QUESTION }])]
        if (readsTail) await store.readTail(id, TAIL)
        for (;;) {
          const { content, call } = await stepOf(script, messages)
          messages.push(await keep('assistant', content))
          if (!call) return
          const outcome = await script.runTool()
          messages.push(await keep('tool', [{ type: 'tool_result', callId: call.id, outcome }]))
        }
      },
      listen: () => new Promise(() => {}),
    }
  }

  return {
    async start() {
      const id = randomUUID()
      await store.insertSession(id, new Date().toISOString())
      return sessionOf(id, 0)
    },
    open: async (id) => sessionOf(id, await store.countMessages(id)),
  }
}

interface Step {
  readonly content: readonly DurableContentPart[]
  readonly call?: ToolCall
}

const { signal } = new AbortController()

async function stepOf({ model }: ModelScript, messages: readonly LlmMessage[]): Promise<Step> {
  let text = ''
  let call: ToolCall | undefined
  for await (const event of model.stream({ system: '', messages, tools: [], maxTokens: 4_096 }, signal)) {
    if (event.type === 'text') text += event.text
    else if (event.type === 'tool_call') call = event.call
  }
  return call ? { content: [{ type: 'tool_call', call }], call } : { content: [{ type: 'text', text }] }
}
