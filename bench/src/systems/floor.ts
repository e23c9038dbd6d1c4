import { randomUUID } from 'node:crypto'
import type { DurableContentPart, ToolCall } from '@parley/contracts'
import type { LlmMessage } from '@parley/engine'
import type { FloorMessage, FloorStore } from '../stores/floor-store.ts'
import { QUESTION, type BenchScript } from './script.ts'
import type { BenchSession, BenchSystem } from './system.ts'

/** Number of past messages that our engine gives a model. */
const TAIL = 200

/** The floor: a bare loop over the same stream, with the same durable writes. `readsTail` adds reading the past messages. */
export function createFloorSystem(
  store: FloorStore,
  script: BenchScript,
  { readsTail = false } = {},
): BenchSystem {
  const openFloorSession = (id: string, stored: number): BenchSession => {
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
          const { content, call } = await toStep(script, messages)
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
      return openFloorSession(id, 0)
    },
    open: async (id) => openFloorSession(id, await store.countMessages(id)),
  }
}

interface FloorStep {
  readonly content: readonly DurableContentPart[]
  readonly call?: ToolCall
}

const { signal } = new AbortController()

async function toStep({ model }: BenchScript, messages: readonly LlmMessage[]): Promise<FloorStep> {
  let text = ''
  let call: ToolCall | undefined
  for await (const event of model.stream({ system: '', messages, tools: [], maxTokens: 4_096 }, signal)) {
    if (event.type === 'text') text += event.text
    else if (event.type === 'tool_call') call = event.call
  }
  return call ? { content: [{ type: 'tool_call', call }], call } : { content: [{ type: 'text', text }] }
}
