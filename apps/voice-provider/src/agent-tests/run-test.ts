import type { ToolCall } from '@parley/contracts'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { AgentTest } from '../agents/agent-test.ts'
import type { TranscriptEntry } from '../conversation/conversation-record.ts'
import { checkParameters } from './check-parameters.ts'
import { dialogueOf } from './dialogue-of.ts'
import type { Judge, Verdict } from './judge.ts'
import { judgeFor } from './judge-for.ts'
import { simulatedPerson } from './simulated-person.ts'
import { openTrial, type Trial } from './trial.ts'
import type { TrialHost } from './trial-host.ts'

export interface TestOutcome {
  readonly verdict: Verdict
  /** What each condition came to, where there are several. */
  readonly reasons: readonly string[]
  readonly transcript: readonly TranscriptEntry[]
}

type TestOf<Type extends AgentTest['type']> = Extract<AgentTest, { type: Type }>

interface Run {
  readonly trial: Trial
  readonly judge: Judge
  readonly host: TrialHost
  readonly signal: AbortSignal
}

/** Tries an agent with one test. */
export async function runTest(
  agent: AgentDocument,
  test: AgentTest,
  host: TrialHost,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const model = await host.modelFor(agent)
  const judge = judgeFor(model)
  const opened = await openTrial({ agent, test, model, judge, host, signal })
  if (opened.kind === 'refused') return { verdict: failure(opened.reason), reasons: [], transcript: [] }
  const run = { trial: opened.trial, judge, host, signal }
  const verdicts = await verdictsOn(test, run, simulatedPerson(model, scenarioOf(test)))
  const transcript = opened.trial.transcript.entries()
  return { verdict: worst(verdicts), reasons: verdicts.map(({ reason }) => reason), transcript }
}

function verdictsOn(
  test: AgentTest,
  run: Run,
  person: ReturnType<typeof simulatedPerson>,
): Promise<readonly Verdict[]> {
  switch (test.type) {
    case 'llm':
      return judgeAnswer(test, run)
    case 'tool':
      return judgeCalls(test, run)
    case 'simulation':
      return judgeConversation(test, run, person)
    default:
      return test satisfies never
  }
}

async function judgeAnswer(test: TestOf<'llm'>, { trial, judge, signal }: Run): Promise<readonly Verdict[]> {
  if (!trial.isAsked()) return [NOT_ASKED]
  const { text, failure: why } = await trial.answer('end')
  if (why !== undefined) return [failure(why)]
  const criteria = {
    condition: test.success_condition,
    goodAnswers: test.success_examples.map(({ response }) => response),
    badAnswers: test.failure_examples.map(({ response }) => response),
  }
  const dialogue = dialogueOf([...test.chat_history, ...trial.transcript.entries()])
  return [await judge(criteria, { answer: text, dialogue }, signal)]
}

async function judgeCalls(
  test: TestOf<'tool'>,
  { trial, judge, host, signal }: Run,
): Promise<readonly Verdict[]> {
  const { referenced_tool: wanted, parameters = [], verify_absence = false } = test.tool_call_parameters ?? {}
  if (!wanted) return [failure('The test names no tool: set tool_call_parameters.referenced_tool.')]
  if (!trial.isAsked()) return [NOT_ASKED]
  const [kept] = await host.findTools([wanted.id])
  const name = kept?.tool_config.name ?? wanted.id
  const { calls, failure: why } = await trial.answer('call')
  if (why !== undefined) return [failure(why)]
  const named = calls.filter((call) => call.name === name)
  if (verify_absence)
    return [named.length > 0 ? failure(`${name} was called.`) : success(`${name} was not called.`)]
  if (named.length === 0) return [failure(`${name} was not called; ${told(calls)}.`)]
  if (calls.length > 1 && !test.check_any_tool_matches)
    return [
      failure(`More than one tool was called (${told(calls)}), which check_any_tool_matches would allow.`),
    ]
  const checked: Verdict[] = []
  for (const { input } of named) checked.push(await checkParameters(parameters, input, judge, signal))
  return [checked.find(({ result }) => result === 'success') ?? worst(checked)]
}

async function judgeConversation(
  test: TestOf<'simulation'>,
  { trial, judge, signal }: Run,
  person: ReturnType<typeof simulatedPerson>,
): Promise<readonly Verdict[]> {
  const conditions = [...(test.success_condition ? [test.success_condition] : []), ...test.success_conditions]
  const dialogue = () => dialogueOf([...test.chat_history, ...trial.transcript.entries()])
  if (test.chat_history.length === 0) trial.greet()
  for (let turn = 0; turn < test.simulation_max_turns && !trial.hasEnded(); turn += 1) {
    if (!trial.isAsked()) {
      const said = await person(dialogue(), signal)
      if (said === undefined) break
      trial.say(said)
    }
    const { failure: why } = await trial.answer('end')
    if (why !== undefined) return [failure(why)]
  }
  if (conditions.length === 0) return [unknown('The test has no success_conditions to be judged by.')]
  const entries = trial.transcript.entries()
  const answer = entries
    .flatMap(({ role, message }) => (role === 'agent' && message ? [message] : []))
    .join('\n')
  const verdicts: Verdict[] = []
  for (const condition of conditions) {
    const criteria = { condition, goodAnswers: [], badAnswers: [] }
    verdicts.push(await judge(criteria, { answer, dialogue: dialogue() }, signal))
  }
  return verdicts
}

const scenarioOf = (test: AgentTest): string => (test.type === 'simulation' ? test.simulation_scenario : '')

const told = (calls: readonly ToolCall[]): string =>
  calls.length === 0
    ? 'no tool was'
    : calls.map(({ name, input }) => `${name} with ${JSON.stringify(input)}`).join(', ')

const success = (reason: string): Verdict => ({ result: 'success', reason })
const failure = (reason: string): Verdict => ({ result: 'failure', reason })
const unknown = (reason: string): Verdict => ({ result: 'unknown', reason })

const NOT_ASKED = failure('The chat_history has to end with what the user says, for the agent to answer it.')

const ORDER: readonly Verdict['result'][] = ['failure', 'unknown', 'success']

/** One that failed decides, then one that nobody knows of. */
const worst = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.toSorted((one, other) => ORDER.indexOf(one.result) - ORDER.indexOf(other.result))[0] ??
  unknown('Nothing was judged.')
