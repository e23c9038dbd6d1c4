import { randomUUID } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Agent, CallId } from '@parley/contracts'
import type { ModelEvent, ModelPort, ModelRequest } from '@parley/engine'
import { decideOfflineStep } from './decide-offline-step.ts'

/** Yields to other work of the process after this many words. */
const WORDS_PER_YIELD = 16

/** The agent if no other is named. */
export const offlineAgent: Agent = {
  id: 'offline',
  name: 'Offline',
  description: 'Answers by quoting the texts in the conversation. No key, no network.',
  model: 'offline',
  provider: 'offline',
  system_prompt: '',
}

/** Answers from the texts of the request, without key or network. Says that it is offline. */
export function createOfflineModel(): ModelPort {
  return { provider: 'offline', modelId: 'offline', price: { input: 0, output: 0 }, stream: streamAnswer }
}

async function* streamAnswer(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  const inputTokens = request.messages.reduce(
    (sum, { content }) => sum + countTokens(JSON.stringify(content)),
    0,
  )
  let outputTokens = 0
  const { text, call } = decideOfflineStep(request)
  for (const [word] of text.matchAll(/\s*\S+\s*/g)) {
    if (signal.aborted) return
    if (outputTokens === request.maxTokens) {
      yield { type: 'finish', reason: 'max_tokens', usage: { inputTokens, outputTokens } }
      return
    }
    yield { type: 'text', text: word }
    outputTokens += 1
    if (outputTokens % WORDS_PER_YIELD === 0) await nextTick()
  }
  if (signal.aborted) return
  if (call) yield { type: 'tool_call', call: { id: `offline_${randomUUID()}` as CallId, ...call } }
  yield { type: 'finish', reason: 'completed', usage: { inputTokens, outputTokens } }
}

const countTokens = (text: string) => Math.ceil(text.length / 4)
