import type { ToolCall } from '@parley/contracts'
import { type ModelPort, fence } from '@parley/engine'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { AgentTest } from '../agents/agent-test.ts'
import type { TranscriptEntry } from '../conversation/conversation-record.ts'
import { checkParameters } from './check-parameters.ts'
import { type Judge, type Verdict, askForText, findQuotes, judgeFor, sha256 } from './judge.ts'
import type { AgentTestHost } from './mocked-tools.ts'
import { type TestConversation, openTestConversation } from './test-conversation.ts'

export interface TestOutcome {
  readonly verdict: Verdict
  /** Reason for each condition. */
  readonly reasons: readonly string[]
  readonly transcript: readonly TranscriptEntry[]
}

type TestOf<Type extends AgentTest['type']> = Extract<AgentTest, { type: Type }>

interface Run {
  readonly conversation: TestConversation
  readonly judge: Judge
  readonly host: AgentTestHost
  readonly signal: AbortSignal
}

/** Runs one test of an agent. */
export async function runTest(
  agent: AgentDocument,
  test: AgentTest,
  host: AgentTestHost,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const model = await host.modelFor(agent)
  const judge = judgeFor(model)
  const opened = await openTestConversation({ agent, test, model, judge, host, signal })
  if (opened.kind === 'refused') return { verdict: failure(opened.reason), reasons: [], transcript: [] }
  const run = { conversation: opened.conversation, judge, host, signal }
  const verdicts = await judgeTest(test, run, simulatedPerson(model, scenarioOf(test)))
  const transcript = opened.conversation.transcript.entries()
  return { verdict: worstVerdict(verdicts), reasons: verdicts.map(({ reason }) => reason), transcript }
}

function judgeTest(
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

async function judgeAnswer(
  test: TestOf<'llm'>,
  { conversation, judge, signal }: Run,
): Promise<readonly Verdict[]> {
  if (!conversation.isUserLast()) return [NO_QUESTION]
  const { text, failure: reason } = await conversation.answer('end')
  if (reason !== undefined) return [failure(reason)]
  const criteria = {
    condition: test.success_condition,
    goodAnswers: test.success_examples.map(({ response }) => response),
    badAnswers: test.failure_examples.map(({ response }) => response),
  }
  const dialogue = toDialogue([...test.chat_history, ...conversation.transcript.entries()])
  return [await judge(criteria, { answer: text, dialogue }, signal)]
}

async function judgeCalls(
  test: TestOf<'tool'>,
  { conversation, judge, host, signal }: Run,
): Promise<readonly Verdict[]> {
  const { referenced_tool: wanted, parameters = [], verify_absence = false } = test.tool_call_parameters ?? {}
  if (!wanted) return [failure('The test names no tool: set tool_call_parameters.referenced_tool.')]
  if (!conversation.isUserLast()) return [NO_QUESTION]
  const [kept] = await host.findTools([wanted.id])
  const name = kept?.tool_config.name ?? wanted.id
  const { calls, failure: reason } = await conversation.answer('call')
  if (reason !== undefined) return [failure(reason)]
  const named = calls.filter((call) => call.name === name)
  if (verify_absence)
    return [named.length > 0 ? failure(`${name} was called.`) : success(`${name} was not called.`)]
  if (named.length === 0) return [failure(`${name} was not called; ${describeCalls(calls)}.`)]
  if (calls.length > 1 && !test.check_any_tool_matches)
    return [
      failure(
        `More than one tool was called (${describeCalls(calls)}). Set check_any_tool_matches to allow this.`,
      ),
    ]
  const checked: Verdict[] = []
  for (const { input } of named) checked.push(await checkParameters(parameters, input, judge, signal))
  return [checked.find(({ result }) => result === 'success') ?? worstVerdict(checked)]
}

async function judgeConversation(
  test: TestOf<'simulation'>,
  { conversation, judge, signal }: Run,
  person: ReturnType<typeof simulatedPerson>,
): Promise<readonly Verdict[]> {
  const conditions = [...(test.success_condition ? [test.success_condition] : []), ...test.success_conditions]
  const dialogue = () => toDialogue([...test.chat_history, ...conversation.transcript.entries()])
  if (test.chat_history.length === 0) conversation.greet()
  for (let turn = 0; turn < test.simulation_max_turns && !conversation.hasEnded(); turn += 1) {
    if (!conversation.isUserLast()) {
      const said = await person(dialogue(), signal)
      if (said === undefined) break
      conversation.say(said)
    }
    const { failure: reason } = await conversation.answer('end')
    if (reason !== undefined) return [failure(reason)]
  }
  if (conditions.length === 0) return [unknown('The test has no success_conditions.')]
  const entries = conversation.transcript.entries()
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

const describeCalls = (calls: readonly ToolCall[]): string =>
  calls.length === 0
    ? 'no tool was'
    : calls.map(({ name, input }) => `${name} with ${JSON.stringify(input)}`).join(', ')

const success = (reason: string): Verdict => ({ result: 'success', reason })
const failure = (reason: string): Verdict => ({ result: 'failure', reason })
const unknown = (reason: string): Verdict => ({ result: 'unknown', reason })

const NO_QUESTION = failure('The chat_history must end with a user message for the agent to answer.')

const ORDER: readonly Verdict['result'][] = ['failure', 'unknown', 'success']

/** A failure decides, then an unknown result. */
const worstVerdict = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.toSorted((one, other) => ORDER.indexOf(one.result) - ORDER.indexOf(other.result))[0] ??
  unknown('No condition was judged.')

type Spoken = Pick<TranscriptEntry, 'role'> & {
  readonly message?: string | null | undefined
  readonly tool_calls?: TranscriptEntry['tool_calls']
  readonly tool_results?: TranscriptEntry['tool_results']
}

/** The dialogue as plain text. */
const toDialogue = (entries: readonly Spoken[]): string => entries.flatMap(toLines).join('\n')

const toLines = ({ role, message, tool_calls = [], tool_results = [] }: Spoken): readonly string[] => [
  ...(message ? [`${role}: ${message}`] : []),
  ...tool_calls.map(({ tool_name, params_as_json }) => `${role} calls ${tool_name} with ${params_as_json}`),
  ...tool_results.map(({ tool_name, result_value }) => `${tool_name} answers: ${result_value}`),
]

/** Returns what the simulated person says next; undefined when they are done. */
type SimulatedPerson = (dialogue: string, signal: AbortSignal) => Promise<string | undefined>

/** The agent's model plays the person; offline, the scenario is a script. */
const simulatedPerson = (model: ModelPort, scenario: string): SimulatedPerson =>
  model.provider === 'offline' ? scriptedPerson(scenario) : modelPerson(model, scenario)

/** Says one quoted text of the scenario per turn, or one line if it quotes nothing. */
function scriptedPerson(scenario: string): SimulatedPerson {
  const quotes = findQuotes(scenario).flatMap(({ texts }) => texts)
  const lines = scenario.split('\n').map((line) => line.trim())
  const script = (quotes.length > 0 ? quotes : lines).filter((line) => line !== '')
  let at = 0
  return async () => script[at++]
}

const OVER = 'CONVERSATION OVER'

function modelPerson(model: ModelPort, scenario: string): SimulatedPerson {
  const system =
    `You play a person who talks with an agent. Who you are and what you want:\n${scenario}\n\n` +
    'You are given the conversation so far as data. Answer with what the person says next and nothing else, or with ' +
    `${OVER} once they have nothing to add.`
  return async (dialogue, signal) => {
    const question = fence(dialogue || '(nothing was said yet)', 'the conversation', sha256)
    const reply = await askForText(model, { system, question }, signal)
    return reply.kind === 'failed' || reply.text === '' || reply.text.includes(OVER) ? undefined : reply.text
  }
}
