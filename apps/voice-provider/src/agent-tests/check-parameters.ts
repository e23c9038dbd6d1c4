import { Worker } from 'node:worker_threads'
import type { Json } from '@parley/contracts'
import type { ParameterCheck } from '../agents/agent-test.ts'
import { toText } from '../agent-tools/variables.ts'
import { readPath } from '../json.ts'
import { type Judge, type JudgeVerdict, toFailure } from './judge.ts'

/** Checks the parameters of a call. Returns the first failure. */
export async function checkParameters(
  checks: readonly ParameterCheck[],
  parameters: Json,
  judge: Judge,
  signal: AbortSignal,
): Promise<JudgeVerdict> {
  for (const check of checks) {
    const verdict = await checkParameter(check, parameters, judge, signal)
    if (verdict.result !== 'success') return verdict
  }
  return { result: 'success', reason: 'The parameters match the test.' }
}

async function checkParameter(
  { path, eval: rule }: ParameterCheck,
  parameters: Json,
  judge: Judge,
  signal: AbortSignal,
): Promise<JudgeVerdict> {
  const names = path.split('.')
  const value = readPath(parameters, names[0] === '$' ? names.slice(1) : names)
  if (value === undefined) return toFailure(`The call has no parameter ${path}.`)
  const text = toText(value)
  switch (rule.type) {
    case 'anything':
      return SUCCESS
    case 'exact':
      return text === toText((rule.expected_value ?? null) as Json)
        ? SUCCESS
        : toFailure(`${path} is ${text}, expected ${toText((rule.expected_value ?? null) as Json)}.`)
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

const SUCCESS: JudgeVerdict = { result: 'success', reason: '' }

const MATCHES: Readonly<
  Record<PatternResult, (path: string, text: string, pattern: string) => JudgeVerdict>
> = {
  match: () => SUCCESS,
  'no-match': (path, text, pattern) => toFailure(`${path} is ${text} and does not match ${pattern}.`),
  'no-pattern': (path, _, pattern) =>
    toFailure(`The test’s pattern for ${path}, ${pattern}, is not a valid regular expression.`),
  'too-slow': (path, _, pattern) =>
    toFailure(`The test’s pattern for ${path}, ${pattern}, takes longer than a second: make it simpler.`),
}

type PatternResult = 'match' | 'no-match' | 'no-pattern' | 'too-slow'

/** Time limit for a regular expression. */
const MAX_MS = 1_000

/** Runs the pattern in a thread: endless backtracking would block every call. */
async function matchInTime(pattern: string, text: string, signal: AbortSignal): Promise<PatternResult> {
  if (!isValidPattern(pattern)) return 'no-pattern'
  if (signal.aborted) return 'too-slow'
  const worker = new Worker(MATCHING, { eval: true, env: {}, workerData: { pattern, text } })
  const result = Promise.withResolvers<PatternResult>()
  const giveUp = () => result.resolve('too-slow')
  let deadline: NodeJS.Timeout | undefined
  worker.once('online', () => (deadline = setTimeout(giveUp, MAX_MS)))
  worker.once('message', (isMatch: boolean) => result.resolve(isMatch ? 'match' : 'no-match'))
  worker.once('error', result.reject)
  signal.addEventListener('abort', giveUp)
  try {
    return await result.promise
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

function isValidPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text, 'u'))
  } catch {
    return false
  }
}
