import type { CallId, ToolCall } from '@parley/contracts'

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
