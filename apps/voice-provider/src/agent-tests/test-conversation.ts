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
import {
  type CallTranscript,
  createCallTranscript,
  toToolCallEntries,
} from '../conversation/conversation-document.ts'
import { prepareConversation, buildSystemVariables } from '../conversation/prepare-conversation.ts'
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
export async function openTestConversation({
  agent,
  test,
  model,
  judge,
  host,
  signal,
}: TestConversationParts): Promise<OpenedTestConversation> {
  const { now } = host
  const startedAt = now()
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

  const {
    agent: settings,
    conversation: { text_only: isTextOnly },
  } = ready.agent.conversation_config
  const secrets = createSecretMask()
  const transcript = createCallTranscript(() => Math.round((now() - startedAt) / 1_000), secrets)
  let variables: VariableValues = { ...ready.variables, ...system }
  secrets.addFrom(variables)
  let past = readChatHistory(test.chat_history)
  let eventId = 0
  let entryIndex = 0
  let next: 'end-call' | 'wait' | undefined

  const assign = (assigned: VariableValues) => {
    variables = { ...variables, ...assigned }
    secrets.addFrom(variables)
  }
  const nextEventId = () => (eventId += 1)
  const fill = (text: string) => fillVariables(text, omitSecrets(variables))
  const tools = createMockedTools({
    test,
    configs: ready.tools,
    documents: await host.findTools(settings.prompt.tool_ids),
    judge,
    host,
    nextEventId,
    assign,
    secrets,
    variables: () => variables,
    onResult(result, then) {
      transcript.result(entryIndex, result)
      next = then ?? next
    },
  })

  const add = (message: LlmMessage) => {
    past = [...past, message]
  }
  const conversation: TestConversation = {
    transcript,
    isUserLast: () => past.at(-1)?.role === 'user',
    hasEnded: () => next === 'end-call',
    greet() {
      const text = fill(settings.first_message)
      if (text.trim() === '') return
      add({ role: 'assistant', content: [{ type: 'text', text }] })
      transcript.agent(text, [], nextEventId())
    },
    say(text) {
      add({ role: 'user', content: [{ type: 'text', text }] })
      transcript.user(text, 'text')
    },
    async answer(until) {
      const texts: string[] = []
      let calls: readonly ToolCall[] = []
      next = undefined
      const prompt = fill(settings.prompt.prompt)
      const failure = await runTurn({
        model,
        tools: tools.port,
        system: isTextOnly ? prompt : `${prompt}\n\n${SPOKEN_MANNER}`.trim(),
        conversation: isTextOnly ? 'typed' : 'spoken',
        past,
        prompt: settings.prompt,
        signal,
        say: () => {},
        onMessage(message) {
          add(message)
          if (message.role !== 'assistant') return
          const text = getMessageText(message)
          if (text !== '') texts.push(text)
          if (calls.length === 0) calls = getToolCalls(message)
          entryIndex = transcript.agent(
            text === '' ? null : text,
            toToolCallEntries(message, tools.getToolType),
            nextEventId(),
          )
        },
        isOver: () => until === 'call' || next !== undefined,
      })
      const text = texts.join('\n')
      if (signal.aborted) return { text, calls, failure: 'The test was cancelled or took too long.' }
      return { text, calls, ...(failure && { failure: failure.message }) }
    },
  }
  return { kind: 'open', conversation }
}

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
