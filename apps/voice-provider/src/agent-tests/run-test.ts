import { type ToolCall, fence } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { AgentTestConfig } from '../agents/agent-test.ts'
import type { CallTranscriptEntry } from '../conversation/conversation-document.ts'
import { checkParameters } from './check-parameters.ts'
import {
  type Judge,
  type JudgeVerdict,
  askForText,
  createJudge,
  findQuotes,
  sha256,
  toFailure,
  toSuccess,
  toUnknown,
} from './judge.ts'
import type { AgentTestHost } from './mocked-tools.ts'
import { type TestConversation, openTestConversation } from './test-conversation.ts'

export interface TestOutcome {
  readonly verdict: JudgeVerdict
  /** Reason for each condition. */
  readonly reasons: readonly string[]
  readonly transcript: readonly CallTranscriptEntry[]
}

type AgentTestOfType<Type extends AgentTestConfig['type']> = Extract<AgentTestConfig, { type: Type }>

interface TestRunContext {
  readonly conversation: TestConversation
  readonly judge: Judge
  readonly host: AgentTestHost
  readonly signal: AbortSignal
}

/** Runs one test of an agent. */
export async function runTest(
  agent: AgentDocument,
  test: AgentTestConfig,
  host: AgentTestHost,
  signal: AbortSignal,
): Promise<TestOutcome> {
  const model = await host.selectModel(agent)
  const judge = createJudge(model)
  const opened = await openTestConversation({ agent, test, model, judge, host, signal })
  if (opened.kind === 'refused') return { verdict: toFailure(opened.reason), reasons: [], transcript: [] }
  const run = { conversation: opened.conversation, judge, host, signal }
  const verdicts = await judgeTest(test, run, createSimulatedPerson(model, getScenario(test)))
  const transcript = opened.conversation.transcript.entries()
  return { verdict: findWorstVerdict(verdicts), reasons: verdicts.map(({ reason }) => reason), transcript }
}

function judgeTest(
  test: AgentTestConfig,
  run: TestRunContext,
  person: ReturnType<typeof createSimulatedPerson>,
): Promise<readonly JudgeVerdict[]> {
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
  test: AgentTestOfType<'llm'>,
  { conversation, judge, signal }: TestRunContext,
): Promise<readonly JudgeVerdict[]> {
  if (!conversation.isUserLast()) return [NO_QUESTION]
  const { text, failure: reason } = await conversation.answer('end')
  if (reason !== undefined) return [toFailure(reason)]
  const criteria = {
    condition: test.success_condition,
    goodAnswers: test.success_examples.map(({ response }) => response),
    badAnswers: test.failure_examples.map(({ response }) => response),
  }
  const dialogue = toDialogue([...test.chat_history, ...conversation.transcript.entries()])
  return [await judge(criteria, { answer: text, dialogue }, signal)]
}

async function judgeCalls(
  test: AgentTestOfType<'tool'>,
  { conversation, judge, host, signal }: TestRunContext,
): Promise<readonly JudgeVerdict[]> {
  const { referenced_tool: wanted, parameters = [], verify_absence = false } = test.tool_call_parameters ?? {}
  if (!wanted) return [toFailure('The test names no tool: set tool_call_parameters.referenced_tool.')]
  if (!conversation.isUserLast()) return [NO_QUESTION]
  const [tool] = await host.findTools([wanted.id])
  const name = tool?.tool_config.name ?? wanted.id
  const { calls, failure: reason } = await conversation.answer('call')
  if (reason !== undefined) return [toFailure(reason)]
  const named = calls.filter((call) => call.name === name)
  if (verify_absence)
    return [named.length > 0 ? toFailure(`${name} was called.`) : toSuccess(`${name} was not called.`)]
  if (named.length === 0) return [toFailure(`${name} was not called; ${describeCalls(calls)}.`)]
  if (calls.length > 1 && !test.check_any_tool_matches)
    return [
      toFailure(
        `More than one tool was called (${describeCalls(calls)}). Set check_any_tool_matches to allow this.`,
      ),
    ]
  const checked: JudgeVerdict[] = []
  for (const { input } of named) checked.push(await checkParameters(parameters, input, judge, signal))
  return [checked.find(({ result }) => result === 'success') ?? findWorstVerdict(checked)]
}

async function judgeConversation(
  test: AgentTestOfType<'simulation'>,
  { conversation, judge, signal }: TestRunContext,
  person: ReturnType<typeof createSimulatedPerson>,
): Promise<readonly JudgeVerdict[]> {
  const conditions = [...(test.success_condition ? [test.success_condition] : []), ...test.success_conditions]
  const dialogue = () => toDialogue([...test.chat_history, ...conversation.transcript.entries()])
  if (test.chat_history.length === 0) conversation.greet()
  for (let turn = 0; turn < test.simulation_max_turns && !conversation.hasEnded(); turn += 1) {
    if (!conversation.isUserLast()) {
      const message = await person(dialogue(), signal)
      if (message === undefined) break
      conversation.say(message)
    }
    const { failure: reason } = await conversation.answer('end')
    if (reason !== undefined) return [toFailure(reason)]
  }
  if (conditions.length === 0) return [toUnknown('The test has no success_conditions.')]
  const entries = conversation.transcript.entries()
  const answer = entries
    .flatMap(({ role, message }) => (role === 'agent' && message ? [message] : []))
    .join('\n')
  const verdicts: JudgeVerdict[] = []
  for (const condition of conditions) {
    const criteria = { condition, goodAnswers: [], badAnswers: [] }
    verdicts.push(await judge(criteria, { answer, dialogue: dialogue() }, signal))
  }
  return verdicts
}

const getScenario = (test: AgentTestConfig): string =>
  test.type === 'simulation' ? test.simulation_scenario : ''

const describeCalls = (calls: readonly ToolCall[]): string =>
  calls.length === 0
    ? 'no tool was'
    : calls.map(({ name, input }) => `${name} with ${JSON.stringify(input)}`).join(', ')

const NO_QUESTION = toFailure('The chat_history must end with a user message for the agent to answer.')

const ORDER: readonly JudgeVerdict['result'][] = ['failure', 'unknown', 'success']

/** A failure decides, then an unknown result. */
const findWorstVerdict = (verdicts: readonly JudgeVerdict[]): JudgeVerdict =>
  verdicts.toSorted((one, other) => ORDER.indexOf(one.result) - ORDER.indexOf(other.result))[0] ??
  toUnknown('No condition was judged.')

type DialogueEntry = Pick<CallTranscriptEntry, 'role'> & {
  readonly message?: string | null | undefined
  readonly tool_calls?: CallTranscriptEntry['tool_calls']
  readonly tool_results?: CallTranscriptEntry['tool_results']
}

/** The dialogue as plain text. */
const toDialogue = (entries: readonly DialogueEntry[]): string => entries.flatMap(toDialogueLines).join('\n')

const toDialogueLines = ({
  role,
  message,
  tool_calls = [],
  tool_results = [],
}: DialogueEntry): readonly string[] => [
  ...(message ? [`${role}: ${message}`] : []),
  ...tool_calls.map(({ tool_name, params_as_json }) => `${role} calls ${tool_name} with ${params_as_json}`),
  ...tool_results.map(({ tool_name, result_value }) => `${tool_name} answers: ${result_value}`),
]

/** Returns what the simulated person says next; undefined when they are done. */
type SimulatedPerson = (dialogue: string, signal: AbortSignal) => Promise<string | undefined>

/** The agent's model plays the person; offline, the scenario is a script. */
const createSimulatedPerson = (model: ModelPort, scenario: string): SimulatedPerson =>
  model.provider === 'offline' ? createScriptedPerson(scenario) : createModelPerson(model, scenario)

/** Says one quoted text of the scenario per turn, or one line if it quotes nothing. */
function createScriptedPerson(scenario: string): SimulatedPerson {
  const quotes = findQuotes(scenario).flatMap(({ texts }) => texts)
  const lines = scenario.split('\n').map((line) => line.trim())
  const script = (quotes.length > 0 ? quotes : lines).filter((line) => line !== '')
  let at = 0
  return async () => script[at++]
}

const OVER = 'CONVERSATION OVER'

function createModelPerson(model: ModelPort, scenario: string): SimulatedPerson {
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
