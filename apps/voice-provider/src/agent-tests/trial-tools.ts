import type { AgentTest } from '../agents/agent-test.ts'
import type { ToolConfig, ToolDocument } from '../agents/tool-document.ts'
import { type AgentTools, type AgentToolsHost, createAgentTools } from '../conversation/agent-tools.ts'
import { findMock } from './find-mock.ts'
import type { Judge } from './judge.ts'
import { mockedTools } from './mocked-tools.ts'
import type { TrialHost } from './trial-host.ts'

export interface TrialTools extends Pick<
  AgentToolsHost,
  'nextEventId' | 'assign' | 'variables' | 'onResult' | 'secrets'
> {
  readonly test: AgentTest
  readonly configs: readonly ToolConfig[]
  /** Those of the workspace, with their mocks. */
  readonly documents: readonly ToolDocument[]
  readonly judge: Judge
  readonly host: TrialHost
}

/** An agent's tools in a test: mocked as the test says, and without a client. */
export function trialTools({
  test,
  configs,
  documents,
  judge,
  host,
  ...conversation
}: TrialTools): AgentTools {
  const tools = createAgentTools(configs, {
    ...conversation,
    // There is no client: who wrote the test wrote its variables.
    isFromClient: () => false,
    assignFromClient: conversation.assign,
    now: host.now,
    onError: host.onError,
    secretValue: host.secretValue,
    environmentValue: (label) => host.environmentValue(label, environmentOf(test)),
    send: () => {},
    resultOf: async () => undefined,
    played: async () => {},
  })
  const settings = {
    tools: documents,
    behaviour: test.tool_mock_config,
    overrides: test.tool_mock_overrides,
    judge,
  }
  const port = mockedTools(tools, {
    configs,
    assign: conversation.assign,
    secrets: conversation.secrets,
    // A test of calls looks at what would be called, and at no more.
    mockOf: async (call, signal) => (test.type === 'tool' ? CALLED : findMock(call, settings, signal)),
    onResult: (result) => conversation.onResult(result, undefined),
  })
  return { port, typeOf: tools.typeOf }
}

const CALLED = { kind: 'mocked', text: 'Tool Called.', isError: false } as const

const environmentOf = (test: AgentTest): string =>
  (test.type === 'simulation' ? test.simulation_environment : undefined) ?? test.environment ?? 'production'
