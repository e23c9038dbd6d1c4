import { z } from 'zod'
import type { CallId, ToolCall } from '@parley/contracts'
import type { LlmMessage, ModelPort } from '@parley/engine'
import {
  type VariableValues,
  createSecretMask,
  fillVariables,
  omitSecrets,
} from '../agent-tools/variables.ts'
import type { AgentDocument } from '../agents/agent-document.ts'
import type { AgentTestConfig } from '../agents/agent-test.ts'
import type { ConversationConfig } from '../agents/conversation-config.ts'
import type { AgentTools } from '../conversation/agent-tools.ts'
import {
  type CallTranscript,
  createCallTranscript,
  toToolCallEntries,
} from '../conversation/conversation-document.ts'
import {
  type PreparedConversation,
  prepareConversation,
  buildSystemVariables,
} from '../conversation/prepare-conversation.ts'
import { SPOKEN_MANNER, runTurn } from '../conversation/run-turn.ts'
import { parseJson } from '../json.ts'
import type { Judge } from './judge.ts'
import { type AgentTestHost, createMockedTools } from './mocked-tools.ts'

export interface TestConversationParts {
  readonly agent: AgentDocument
  readonly test: AgentTestConfig
  readonly model: ModelPort
  readonly judge: Judge
  readonly host: AgentTestHost
  readonly signal: AbortSignal
}

export interface TestAnswer {
  readonly text: string
  /** Calls of the first step that has any. */
  readonly calls: readonly ToolCall[]
  readonly failure?: string
}

/** A typed test conversation that starts with the test's chat history. */
export interface TestConversation {
  readonly transcript: CallTranscript
  /** Whether the user spoke last. */
  isUserLast(): boolean
  hasEnded(): boolean
  greet(): void
  say(text: string): void
  /** Lets the agent answer, until its first tool call or the end of its turn. */
  answer(until: 'call' | 'end'): Promise<TestAnswer>
}

export type OpenedTestConversation =
  | { readonly kind: 'open'; readonly conversation: TestConversation }
  | { readonly kind: 'refused'; readonly reason: string }

/** Starts a test conversation with the test's variables. */
export async function openTestConversation(parts: TestConversationParts): Promise<OpenedTestConversation> {
  const { agent, test, host } = parts
  const startedAt = host.now()
  const testVariables = test.dynamic_variables as VariableValues
  const system = {
    ...buildSystemVariables({
      agentId: agent.agentId,
      conversationId: 'conv_of_a_test',
      startedAt,
      now: startedAt,
      timezone: agent.conversation_config.agent.prompt.timezone,
    }),
    // A test may set system variables, because there is no real call.
    ...pickVariables(testVariables, (name) => name.startsWith('system__')),
  }
  const ready = await prepareConversation(
    agent,
    {
      type: 'conversation_initiation_client_data',
      dynamic_variables: pickVariables(testVariables, (name) => !name.startsWith('system__')),
    },
    system,
    host,
  )
  if (ready.kind === 'refused') return ready
  const run = await openTestRun(parts, ready, { ...ready.variables, ...system }, startedAt)
  return {
    kind: 'open',
    conversation: {
      transcript: run.transcript,
      isUserLast: () => run.state.past.at(-1)?.role === 'user',
      hasEnded: () => run.state.next === 'end-call',
      greet: () => greet(run),
      say: (text) => addUserText(run, text),
      answer: (until) => answerByModel(run, until),
    },
  }
}

interface TestRun extends Pick<TestConversationParts, 'model' | 'signal'> {
  readonly config: ConversationConfig
  readonly tools: AgentTools
  readonly transcript: CallTranscript
  readonly state: TestRunState
}

interface TestRunState {
  variables: VariableValues
  past: readonly LlmMessage[]
  eventId: number
  /** Index of the last answer in the transcript. */
  entryIndex: number
  /** What a tool requested instead of the model's next step. */
  next: 'end-call' | 'wait' | undefined
}

async function openTestRun(
  { test, model, judge, host, signal }: TestConversationParts,
  { agent: { conversation_config: config }, tools: configs }: PreparedConversation,
  variables: VariableValues,
  startedAt: number,
): Promise<TestRun> {
  const secrets = createSecretMask()
  secrets.addFrom(variables)
  const transcript = createCallTranscript(() => Math.round((host.now() - startedAt) / 1_000), secrets)
  const past = readChatHistory(test.chat_history)
  const state: TestRunState = { variables, past, eventId: 0, entryIndex: 0, next: undefined }
  const tools = createMockedTools({
    test,
    configs,
    documents: await host.findTools(config.agent.prompt.tool_ids),
    judge,
    host,
    secrets,
    nextEventId: () => (state.eventId += 1),
    variables: () => state.variables,
    assign(assigned) {
      state.variables = { ...state.variables, ...assigned }
      secrets.addFrom(state.variables)
    },
    onResult(result, next) {
      transcript.result(state.entryIndex, result)
      state.next = next ?? state.next
    },
  })
  return { model, signal, config, tools, transcript, state }
}

function greet({ config, transcript, state }: TestRun): void {
  const text = fill(state, config.agent.first_message)
  if (text.trim() === '') return
  addMessage(state, { role: 'assistant', content: [{ type: 'text', text }] })
  transcript.agent(text, [], (state.eventId += 1))
}

function addUserText({ transcript, state }: TestRun, text: string): void {
  addMessage(state, { role: 'user', content: [{ type: 'text', text }] })
  transcript.user(text, 'text')
}

async function answerByModel(run: TestRun, until: 'call' | 'end'): Promise<TestAnswer> {
  const { model, tools, config, state, signal } = run
  const isTextOnly = config.conversation.text_only
  const instructions = fill(state, config.agent.prompt.prompt)
  const steps: LlmMessage[] = []
  state.next = undefined
  const failure = await runTurn({
    model,
    tools: tools.port,
    system: isTextOnly ? instructions : `${instructions}\n\n${SPOKEN_MANNER}`.trim(),
    conversation: isTextOnly ? 'typed' : 'spoken',
    past: state.past,
    prompt: config.agent.prompt,
    signal,
    say: () => {},
    onMessage(message) {
      addMessage(state, message)
      if (message.role !== 'assistant') return
      steps.push(message)
      addStep(run, message)
    },
    isOver: () => until === 'call' || state.next !== undefined,
  })
  const text = steps.map(getMessageText).filter(Boolean).join('\n')
  const calls = steps.map(getToolCalls).find(({ length }) => length > 0) ?? []
  if (signal.aborted) return { text, calls, failure: 'The test was cancelled or took too long.' }
  return { text, calls, ...(failure && { failure: failure.message }) }
}

function addStep({ transcript, tools, state }: TestRun, message: LlmMessage): void {
  const calls = toToolCallEntries(message, tools.getToolType)
  state.entryIndex = transcript.agent(getMessageText(message) || null, calls, (state.eventId += 1))
}

function addMessage(state: TestRunState, message: LlmMessage): void {
  state.past = [...state.past, message]
}

const fill = ({ variables }: TestRunState, text: string): string =>
  fillVariables(text, omitSecrets(variables))

const getMessageText = ({ content }: LlmMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')

const getToolCalls = ({ content }: LlmMessage): readonly ToolCall[] =>
  content.flatMap((part) => (part.type === 'tool_call' ? [part.call] : []))

const pickVariables = (variables: VariableValues, isWanted: (name: string) => boolean): VariableValues =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => isWanted(name)))

const HistoryEntry = z.looseObject({
  role: z.enum(['user', 'agent']),
  message: z.string().nullish(),
  tool_calls: z
    .array(z.looseObject({ request_id: z.string(), tool_name: z.string(), params_as_json: z.string() }))
    .nullish()
    .catch(null),
  tool_results: z
    .array(
      z.looseObject({
        request_id: z.string(),
        result_value: z.string(),
        is_error: z.boolean().default(false),
      }),
    )
    .nullish()
    .catch(null),
})

/** The chat history as messages for the model. Omits calls without a result. */
const readChatHistory = (entries: readonly unknown[]): readonly LlmMessage[] =>
  entries.flatMap((entry) => toHistoryMessages(HistoryEntry.parse(entry)))

function toHistoryMessages({
  role,
  message,
  tool_calls,
  tool_results,
}: z.infer<typeof HistoryEntry>): readonly LlmMessage[] {
  const text = message ? [{ type: 'text' as const, text: message }] : []
  if (role === 'user') return text.length > 0 ? [{ role, content: text }] : []
  const results = new Map((tool_results ?? []).map((result) => [result.request_id, result]))
  const calls = (tool_calls ?? []).filter(({ request_id }) => results.has(request_id))
  const content = [
    ...text,
    ...calls.map(({ request_id, tool_name, params_as_json }) => ({
      type: 'tool_call' as const,
      call: { id: request_id as CallId, name: tool_name, input: parseJson(params_as_json) ?? {} },
    })),
  ]
  const answers = calls.flatMap(({ request_id }) => {
    const result = results.get(request_id)
    return result
      ? [{ type: 'tool_result' as const, callId: request_id as CallId, outcome: toToolOutcome(result) }]
      : []
  })
  return [
    ...(content.length > 0 ? [{ role: 'assistant' as const, content }] : []),
    ...(answers.length > 0 ? [{ role: 'tool' as const, content: answers }] : []),
  ]
}

const toToolOutcome = ({ result_value: text, is_error }: { result_value: string; is_error: boolean }) =>
  is_error ? { kind: 'failed' as const, code: 'tool_failed', text } : { kind: 'ok' as const, text }
