import type { ToolCall } from '@parley/contracts'
import type { ToolDocument } from '../agents/tool-document.ts'
import { MockBehaviour, type ResponseMock } from '../agents/tool-mocks.ts'
import { checkParameters } from './check-parameters.ts'
import type { Judge } from './judge.ts'

export type Mock =
  | { readonly kind: 'mocked'; readonly text: string; readonly isError: boolean }
  /** The test says that the tool itself is to be asked. */
  | { readonly kind: 'real' }

export interface MockSettings {
  readonly tools: readonly ToolDocument[]
  readonly behaviour: MockBehaviour | null | undefined
  readonly overrides: Readonly<Record<string, readonly ResponseMock[]>> | null | undefined
  readonly judge: Judge
}

/** What a tool answers in a test: the first mock whose conditions the call meets, the test's own before the tool's. */
export async function findMock(
  { name, input }: Pick<ToolCall, 'name' | 'input'>,
  { tools, behaviour, overrides, judge }: MockSettings,
  signal: AbortSignal,
): Promise<Mock> {
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
    text: `No mock of the tool "${name}" is for this call. Add one to its response_mocks.`,
    isError: true,
  }
}
