import type { ToolCall } from '@parley/contracts'
import type { ToolRegistry } from '@parley/engine'
import { type SecretMask, type VariableValues, assignVariables } from '../agent-tools/variables.ts'
import { type AgentTestConfig, MockBehaviour, type ResponseMock } from '../agents/agent-test.ts'
import type { ToolConfig, ToolDocument } from '../agents/tool-document.ts'
import { type AgentTools, type AgentToolsHost, createAgentTools } from '../conversation/agent-tools.ts'
import type { ConversationHost, ToolResultEntry } from '../conversation/conversation-document.ts'
import { checkParameters } from './check-parameters.ts'
import type { Judge } from './judge.ts'

export interface MockedToolsParts extends Pick<
  AgentToolsHost,
  'nextEventId' | 'assign' | 'variables' | 'onResult' | 'secrets'
> {
  readonly test: AgentTestConfig
  readonly configs: readonly ToolConfig[]
  /** Tools of the workspace, with their mocks. */
  readonly documents: readonly ToolDocument[]
  readonly judge: Judge
  readonly host: AgentTestHost
}

/** An agent's tools in a test, mocked as the test says. */
export function createMockedTools({
  test,
  configs,
  documents,
  judge,
  host,
  ...conversation
}: MockedToolsParts): AgentTools {
  const tools = createAgentTools(configs, {
    ...conversation,
    // There is no client; the test's author wrote the variables.
    isFromClient: () => false,
    assignFromClient: conversation.assign,
    now: host.now,
    onError: host.onError,
    readSecret: host.readSecret,
    readEnvironmentValue: (label) => host.readEnvironmentValue(label, getEnvironment(test)),
    send: () => {},
    waitForResult: async () => undefined,
    played: async () => {},
  })
  const settings = {
    tools: documents,
    behaviour: test.tool_mock_config,
    overrides: test.tool_mock_overrides,
    judge,
  }
  const port = mockRegistry(tools, {
    configs,
    assign: conversation.assign,
    secrets: conversation.secrets,
    // A tool test only checks the call itself.
    chooseMock: async (call, signal) =>
      test.type === 'tool' ? TOOL_CALLED : findMock(call, settings, signal),
    onResult: (result) => conversation.onResult(result, undefined),
  })
  return { port, getToolType: tools.getToolType }
}

const TOOL_CALLED = { kind: 'mocked', text: 'Tool Called.', isError: false } as const

const getEnvironment = (test: AgentTestConfig): string =>
  (test.type === 'simulation' ? test.simulation_environment : undefined) ?? test.environment ?? 'production'

interface MockedToolsHost {
  readonly configs: readonly ToolConfig[]
  readonly chooseMock: (call: ToolCall, signal: AbortSignal) => Promise<ChosenMock>
  readonly assign: (variables: VariableValues) => void
  readonly secrets: SecretMask
  readonly onResult: (result: ToolResultEntry) => void
}

/** Replaces the answers of webhook and client tools by mocks. */
function mockRegistry({ port, getToolType: typeOf }: AgentTools, host: MockedToolsHost): ToolRegistry {
  const { configs, chooseMock, assign, secrets, onResult } = host

  const answerWithMock = (
    { id, name }: ToolCall,
    { text, isError }: Extract<ChosenMock, { kind: 'mocked' }>,
  ) => {
    const assignments = configs.find((config) => config.name === name)?.assignments ?? []
    const assigned = assignVariables(text, isError ? [] : assignments, secrets)
    assign(assigned.variables)
    onResult({
      type: typeOf(name),
      request_id: id,
      tool_name: name,
      result_value: assigned.text,
      is_error: isError,
      tool_has_been_called: true,
      tool_latency_secs: 0,
    })
    return isError
      ? { kind: 'failed' as const, code: 'tool_failed', text: assigned.text }
      : { kind: 'ok' as const, text: assigned.text }
  }

  return {
    declarations: port.declarations,
    async decide(call, circumstances) {
      const isKnown = port.declarations.some(({ name }) => name === call.name)
      // System tools only act on the conversation, so they run.
      const runsForReal = !isKnown || typeOf(call.name) === 'system'
      const mock = runsForReal ? ({ kind: 'real' } as const) : await chooseMock(call, circumstances.signal)
      if (mock.kind === 'real') return port.decide(call, circumstances)
      return {
        kind: 'allowed',
        decided: { by: 'policy' },
        carryOut: async () => ({ outcome: answerWithMock(call, mock) }),
      }
    },
  }
}

type ChosenMock =
  | { readonly kind: 'mocked'; readonly text: string; readonly isError: boolean }
  /** The test wants the real tool. */
  | { readonly kind: 'real' }

interface MockSettings {
  readonly tools: readonly ToolDocument[]
  readonly behaviour: MockBehaviour | null | undefined
  readonly overrides: Readonly<Record<string, readonly ResponseMock[]>> | null | undefined
  readonly judge: Judge
}

/** Finds the first mock whose conditions the call meets. The test's mocks come before the tool's. */
async function findMock(
  { name, input }: Pick<ToolCall, 'name' | 'input'>,
  { tools, behaviour, overrides, judge }: MockSettings,
  signal: AbortSignal,
): Promise<ChosenMock> {
  const { mocking_strategy, fallback_strategy, mocked_tool_ids } = behaviour ?? MockBehaviour.parse({})
  const tool = tools.find(({ tool_config }) => tool_config.name === name)
  const isMocked = {
    all: true,
    none: false,
    selected: tool !== undefined && mocked_tool_ids.includes(tool.id),
  }[mocking_strategy]
  if (!isMocked) return { kind: 'real' }

  const own = tool ? (overrides?.[tool.id] ?? []) : []
  for (const mock of [...own, ...(tool?.response_mocks ?? [])]) {
    const { result } = await checkParameters(mock.parameter_conditions, input, judge, signal)
    if (result === 'success') return { kind: 'mocked', text: mock.mock_result, isError: mock.is_error }
  }
  if (fallback_strategy === 'call_real_tool') return { kind: 'real' }
  return {
    kind: 'mocked',
    text: `No mock of the tool "${name}" matches this call. Add one to its response_mocks.`,
    isError: true,
  }
}

/** Services that a test uses. */
export type AgentTestHost = Pick<
  ConversationHost,
  'findTools' | 'readSecret' | 'readEnvironmentValue' | 'selectModel' | 'now' | 'onError'
>
