import { randomUUID } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Agent, CallId } from '@parley/contracts'
import type { ModelEvent, ModelPort, ModelRequest } from '@parley/engine'
import { decideOffline } from './decide-offline.ts'

/** How many words are said between two looks at the outside world: aborts, readers, other sessions. */
const WORDS_A_BREATH = 16

/** What speaks where no other agent is named. */
export const offlineAgent: Agent = {
  id: 'offline',
  name: 'Offline',
  description: 'Answers by quoting what it is given in the conversation. No key, no network.',
  model: 'offline',
  provider: 'offline',
  system_prompt: '',
}

/** Answers with no key and no network, from what the request holds; says of itself that it is offline. */
export function offlineModel(): ModelPort {
  return { provider: 'offline', modelId: 'offline', price: { input: 0, output: 0 }, stream: speak }
}

async function* speak(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
  const inputTokens = request.messages.reduce(
    (sum, { content }) => sum + tokensIn(JSON.stringify(content)),
    0,
  )
  let outputTokens = 0
  const { text, call } = decideOffline(request)
  for (const [word] of text.matchAll(/\s*\S+\s*/g)) {
    if (signal.aborted) return
    if (outputTokens === request.maxTokens) {
      yield { type: 'finish', reason: 'max_tokens', usage: { inputTokens, outputTokens } }
      return
    }
    yield { type: 'text', text: word }
    outputTokens += 1
    if (outputTokens % WORDS_A_BREATH === 0) await nextTick()
  }
  if (signal.aborted) return
  if (call) yield { type: 'tool_call', call: { id: `offline_${randomUUID()}` as CallId, ...call } }
  yield { type: 'finish', reason: 'completed', usage: { inputTokens, outputTokens } }
}

const tokensIn = (text: string) => Math.ceil(text.length / 4)
