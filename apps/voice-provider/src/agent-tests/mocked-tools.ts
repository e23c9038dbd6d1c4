import type { ToolCall } from '@parley/contracts'
import type { ToolRegistry } from '@parley/engine'
import type { ToolConfig } from '../agents/tool-document.ts'
import type { AgentTools } from '../conversation/agent-tools.ts'
import type { ToolResultEntry } from '../conversation/conversation-record.ts'
import { assignVariables } from '../tools-of-agent/assign-variables.ts'
import type { SecretMask } from '../tools-of-agent/secret-mask.ts'
import type { Variables } from '../tools-of-agent/variables.ts'
import type { Mock } from './find-mock.ts'

export interface MockedToolsHost {
  readonly configs: readonly ToolConfig[]
  readonly mockOf: (call: ToolCall, signal: AbortSignal) => Promise<Mock>
  readonly assign: (variables: Variables) => void
  readonly secrets: SecretMask
  readonly onResult: (result: ToolResultEntry) => void
}

/** An agent's tools, of which those that reach out answer as a test has them answer. */
export function mockedTools({ port, typeOf }: AgentTools, host: MockedToolsHost): ToolRegistry {
  const { configs, mockOf, assign, secrets, onResult } = host

  const answer = ({ id, name }: ToolCall, { text, isError }: Extract<Mock, { kind: 'mocked' }>) => {
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
      // Those of the system act on the conversation alone, and so they may.
      const isLeft = !isKnown || typeOf(call.name) === 'system'
      const mock = isLeft ? ({ kind: 'real' } as const) : await mockOf(call, circumstances.signal)
      if (mock.kind === 'real') return port.decide(call, circumstances)
      return {
        kind: 'allowed',
        decided: { by: 'policy' },
        carryOut: async () => ({ outcome: answer(call, mock) }),
      }
    },
  }
}
