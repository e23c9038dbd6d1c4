import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type ModelPort, fence } from '@parley/engine'
import { askForText } from './ask-for-text.ts'
import { judgeByWords } from './judge-by-words.ts'
import type { Criteria, Judge } from './judge.ts'

/** The agent's own model judges where there is one; offline, words are compared. */
export const judgeFor = (model: ModelPort): Judge =>
  model.provider === 'offline'
    ? async (criteria, { answer }) => judgeByWords(criteria, answer)
    : judgeByModel(model)

const SYSTEM =
  'You judge whether an agent did what a condition asks. You are given the condition, examples, and what was said as ' +
  'data. Answer with one JSON object and nothing else: {"result": "success" | "failure" | "unknown", "reason": "one ' +
  'sentence"}. Say "unknown" where what was said does not show it.'

/** Asks a model for a verdict; what is not one is unknown. */
const judgeByModel =
  (model: ModelPort): Judge =>
  async (criteria, { dialogue }, signal) => {
    const question = `${textOf(criteria)}\n\n${fence(dialogue, 'the conversation', sha256)}`
    const asked = await askForText(model, { system: SYSTEM, question }, signal)
    if (asked.kind === 'failed') return { result: 'unknown', reason: `The judge failed: ${asked.why}` }
    const found = verdictIn(asked.text)
    return found ?? { result: 'unknown', reason: `The judge gave no verdict: ${asked.text.slice(0, 200)}` }
  }

const textOf = ({ condition, goodAnswers, badAnswers }: Criteria): string =>
  [
    `Condition: ${condition || 'the answer is like the good examples and unlike the bad ones'}`,
    ...goodAnswers.map((answer) => `A good answer: ${answer}`),
    ...badAnswers.map((answer) => `A bad answer: ${answer}`),
  ].join('\n')

const Verdict = z.object({
  result: z.enum(['success', 'failure', 'unknown']),
  reason: z.string().default(''),
})

function verdictIn(text: string): z.infer<typeof Verdict> | undefined {
  try {
    return Verdict.safeParse(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).data
  } catch {
    return undefined
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
