import { randomInt } from 'node:crypto'
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'
import type { CallId, ToolCall } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'

/** One step of the model's answer to a question: the same in every process. */
export interface ScriptedStep {
  readonly reasoning: readonly string[]
  readonly words: readonly string[]
  readonly calls: readonly ToolCall[]
}

/** The steps that answer a question: up to two with calls, then a plain answer. */
export function createScript(question: string): readonly ScriptedStep[] {
  const next = createNumberSource(question)
  const rounds = next(3)
  return Array.from({ length: rounds + 1 }, (_, step) => ({
    reasoning: createWords(`r${step}`, next(2) * next(6)),
    words: createWords(`s${step}`, 1 + next(40)),
    calls:
      step === rounds
        ? []
        : Array.from({ length: 1 + next(2) }, (__, call): ToolCall => ({
            id: `${question}-${step}-${call}` as CallId,
            name: TOOLS[next(TOOLS.length)] ?? 'look',
            input: { question },
          })),
  }))
}

/** `look` may be repeated, `write` may not, `ask` waits for a person. */
const TOOLS = ['look', 'look', 'write', 'write', 'ask']

const createWords = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}.${index} `)

/** Pseudo-random small numbers, seeded by a text. */
function createNumberSource(text: string): (below: number) => number {
  let state = Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2_147_483_647, 7)
  return (below) => {
    state = (state * 48_271 + 11) % 2_147_483_647
    return state % below
  }
}

interface ScriptedModelOptions {
  /** The longest pause between two words. */
  readonly pauseMs?: number
  readonly onRequest?: (question: string, step: number) => void
}

/** A model that follows the script, with pauses of random length. */
export const createTrialModel = ({ pauseMs = 1, onRequest }: ScriptedModelOptions = {}): ModelPort => ({
  provider: 'test',
  modelId: 'trial',
  async *stream({ messages }, signal) {
    const at = messages.findLastIndex(({ role }) => role === 'user')
    const [question] = messages[at]?.content ?? []
    const step = messages.slice(at).filter(({ role }) => role === 'assistant').length
    const script = question?.type === 'text' ? createScript(question.text)[step] : undefined
    if (question?.type !== 'text' || !script) throw new Error('the script has no such step')
    onRequest?.(question.text, step)
    for (const text of script.reasoning) yield { type: 'reasoning', text }
    for (const text of script.words) {
      if (randomInt(5) === 0) await (randomInt(2) === 0 ? pause(1 + randomInt(pauseMs)) : breathe())
      if (signal.aborted) return
      yield { type: 'text', text }
    }
    for (const call of script.calls) yield { type: 'tool_call', call }
    yield { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } }
  },
})
