import type { Json } from '@parley/contracts'
import type { ToolConfig } from '../agents/tool-document.ts'
import { type AgentTool, toToolFailure } from './agent-tool.ts'
import { fillParameters, buildInputSchema } from './parameters.ts'
import {
  type SecretMask,
  type VariableValues,
  assignVariables,
  fillVariables,
  omitSecrets,
} from './variables.ts'

export interface ClientToolHost {
  readonly variables: () => VariableValues
  readonly assign: (variables: VariableValues) => void
  readonly secrets: SecretMask
  readonly sendCall: (call: ClientCall) => void
  /** The client's result; undefined after the timeout. */
  readonly waitForResult: (
    callId: string,
    timeoutMs: number,
    signal: AbortSignal,
  ) => Promise<ClientResult | undefined>
}

export interface ClientCall {
  readonly id: string
  readonly name: string
  readonly parameters: Readonly<Record<string, Json>>
}

export interface ClientResult {
  readonly result: string
  readonly isError: boolean
}

const MAX_CHARACTERS = 50_000
const NO_PARAMETERS = { type: 'object', properties: {}, required: [] } as const

/** A tool that the client runs. */
export function createClientTool(
  config: Extract<ToolConfig, { type: 'client' }>,
  host: ClientToolHost,
): AgentTool {
  const { name, description, tool_error_handling_mode: mode, response_timeout_secs: seconds } = config
  const parameters = config.parameters ?? NO_PARAMETERS
  const placeholders = config.dynamic_variables.dynamic_variable_placeholders as VariableValues
  const variables = (): VariableValues => omitSecrets({ ...placeholders, ...host.variables() })
  return {
    type: 'client',
    declaration: {
      name,
      description: fillVariables(description, variables()),
      inputSchema: buildInputSchema(parameters, variables()),
    },
    async run({ id, input }, signal) {
      const filled = fillParameters(parameters, input, variables())
      if (filled.kind === 'invalid')
        return { kind: 'failed', text: `The call was not made: ${filled.reason}.`, problem: filled.reason }
      host.sendCall({ id, name, parameters: filled.values })
      if (!config.expects_response) return { kind: 'ok', text: 'Sent to the client, which gives no answer.' }
      const answer = await host.waitForResult(id, seconds * 1_000, signal)
      if (!answer) return toToolFailure(`the client gave no answer within ${seconds} seconds`, mode)
      const { mask } = host.secrets
      if (answer.isError) return toToolFailure(mask(answer.result), mode)
      const { variables: assigned, text } = assignVariables(answer.result, config.assignments, host.secrets)
      host.assign(assigned)
      return { kind: 'ok', text: mask(text).slice(0, MAX_CHARACTERS) }
    },
  }
}

/** Matches the client's results with the calls that wait for them. */
interface ClientResults {
  /** Undefined after the timeout. */
  readonly wait: (callId: string, timeoutMs: number, signal: AbortSignal) => Promise<ClientResult | undefined>
  /** Ignores results that no call waits for. */
  readonly give: (callId: string, result: ClientResult) => void
}

export function createClientResults(): ClientResults {
  const waiting = new Map<string, (result: ClientResult) => void>()
  return {
    wait: (callId, timeoutMs, signal) =>
      new Promise((resolve) => {
        const settle = (result: ClientResult | undefined) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', giveUp)
          waiting.delete(callId)
          resolve(result)
        }
        const giveUp = () => settle(undefined)
        const timer = setTimeout(giveUp, timeoutMs)
        if (signal.aborted) giveUp()
        else signal.addEventListener('abort', giveUp)
        waiting.set(callId, settle)
      }),
    give: (callId, result) => waiting.get(callId)?.(result),
  }
}
