import { randomInt } from 'node:crypto'
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'
import type { CallId, ToolCall } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'

/** What the model of the trial says at one step of the answer to one question: the same in every process. */
export interface ScriptedStep {
  readonly reasoning: readonly string[]
  readonly words: readonly string[]
  readonly calls: readonly ToolCall[]
}

/** The steps that answer a question: up to two with calls, then a plain answer. */
export function scriptOf(question: string): readonly ScriptedStep[] {
  const next = numbersFrom(question)
  const rounds = next(3)
  return Array.from({ length: rounds + 1 }, (_, step) => ({
    reasoning: wordsOf(`r${step}`, next(2) * next(6)),
    words: wordsOf(`s${step}`, 1 + next(40)),
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

const wordsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}.${index} `)

/** Small numbers that follow from a text. */
function numbersFrom(text: string): (below: number) => number {
  let state = Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2_147_483_647, 7)
  return (below) => {
    state = (state * 48_271 + 11) % 2_147_483_647
    return state % below
  }
}

interface Pace {
  /** The longest pause between two words. */
  readonly pauseMs?: number
  readonly onAsked?: (question: string, step: number) => void
}

/** A model that follows the script, with pauses of random length. */
export const scriptedModel = ({ pauseMs = 1, onAsked }: Pace = {}): ModelPort => ({
  provider: 'test',
  modelId: 'trial',
  async *stream({ messages }, signal) {
    const at = messages.findLastIndex(({ role }) => role === 'user')
    const [question] = messages[at]?.content ?? []
    const step = messages.slice(at).filter(({ role }) => role === 'assistant').length
    const script = question?.type === 'text' ? scriptOf(question.text)[step] : undefined
    if (question?.type !== 'text' || !script) throw new Error('the script has no such step')
    onAsked?.(question.text, step)
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
