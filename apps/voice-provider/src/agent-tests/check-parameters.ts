import { Worker } from 'node:worker_threads'
import type { Json } from '@parley/contracts'
import type { ParameterCheck } from '../agents/agent-test.ts'
import { asText } from '../agent-tools/variables.ts'
import { valueAt } from '../json.ts'
import type { Judge, Verdict } from './judge.ts'

/** Checks the parameters of a call. Returns the first failure. */
export async function checkParameters(
  checks: readonly ParameterCheck[],
  parameters: Json,
  judge: Judge,
  signal: AbortSignal,
): Promise<Verdict> {
  for (const check of checks) {
    const verdict = await checkOne(check, parameters, judge, signal)
    if (verdict.result !== 'success') return verdict
  }
  return { result: 'success', reason: 'The parameters match the test.' }
}

async function checkOne(
  { path, eval: rule }: ParameterCheck,
  parameters: Json,
  judge: Judge,
  signal: AbortSignal,
): Promise<Verdict> {
  const names = path.split('.')
  const value = valueAt(parameters, names[0] === '$' ? names.slice(1) : names)
  if (value === undefined) return failure(`The call has no parameter ${path}.`)
  const text = asText(value)
  switch (rule.type) {
    case 'anything':
      return SUCCESS
    case 'exact':
      return text === asText((rule.expected_value ?? null) as Json)
        ? SUCCESS
        : failure(`${path} is ${text}, expected ${asText((rule.expected_value ?? null) as Json)}.`)
    case 'regex':
      return MATCHES[await matchInTime(rule.pattern, text, signal)](path, text, rule.pattern)
    case 'llm': {
      const criteria = { condition: rule.description, goodAnswers: [], badAnswers: [] }
      const { result, reason } = await judge(criteria, { answer: text, dialogue: `${path}: ${text}` }, signal)
      return { result, reason: `${path}: ${reason}` }
    }
    default:
      return rule satisfies never
  }
}

const SUCCESS: Verdict = { result: 'success', reason: '' }
const failure = (reason: string): Verdict => ({ result: 'failure', reason })

const MATCHES: Readonly<Record<Match, (path: string, text: string, pattern: string) => Verdict>> = {
  match: () => SUCCESS,
  'no-match': (path, text, pattern) => failure(`${path} is ${text} and does not match ${pattern}.`),
  'no-pattern': (path, _, pattern) =>
    failure(`The test’s pattern for ${path}, ${pattern}, is not a valid regular expression.`),
  'too-slow': (path, _, pattern) =>
    failure(`The test’s pattern for ${path}, ${pattern}, takes longer than a second: make it simpler.`),
}

type Match = 'match' | 'no-match' | 'no-pattern' | 'too-slow'

/** Time limit for a regular expression. */
const MOST_MS = 1_000

/** Runs the pattern in a thread: endless backtracking would block every call. */
async function matchInTime(pattern: string, text: string, signal: AbortSignal): Promise<Match> {
  if (!isPattern(pattern)) return 'no-pattern'
  if (signal.aborted) return 'too-slow'
  const worker = new Worker(MATCHING, { eval: true, env: {}, workerData: { pattern, text } })
  const given = Promise.withResolvers<Match>()
  const giveUp = () => given.resolve('too-slow')
  let deadline: NodeJS.Timeout | undefined
  worker.once('online', () => (deadline = setTimeout(giveUp, MOST_MS)))
  worker.once('message', (isMatch: boolean) => given.resolve(isMatch ? 'match' : 'no-match'))
  worker.once('error', given.reject)
  signal.addEventListener('abort', giveUp)
  try {
    return await given.promise
  } finally {
    clearTimeout(deadline)
    signal.removeEventListener('abort', giveUp)
    await worker.terminate()
  }
}

const MATCHING = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.postMessage(new RegExp(workerData.pattern, 'u').test(workerData.text))
`

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text, 'u'))
  } catch {
    return false
  }
}
