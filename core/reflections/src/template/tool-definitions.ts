import { AGENT_ACTIONS, type AgentAction, recordByAction } from '@parley/contracts'
import type { ServerTool, ToolParameter } from '../ports/voice-provider.ts'

const createVariableParameter = (variable: string): ToolParameter => ({
  type: 'string',
  isRequired: true,
  value: { kind: 'variable', variable },
})

/** The proof of a call's conversation. The model does not see it, and no client can set the last field. */
const PROOF: ServerTool['parameters'] = {
  conversation_id: createVariableParameter('conversation_id'),
  conversation_bind_sig: createVariableParameter('conversation_bind_sig'),
  provider_conversation_id: createVariableParameter('system__conversation_id'),
}

/** The server tools of a reflection's agent at the voice provider, one for each action. */
export const TOOL_DEFINITIONS: Readonly<Record<AgentAction, Omit<ServerTool, 'name' | 'url' | 'headers'>>> =
  recordByAction((action) => {
    const { description, input, endpoint } = AGENT_ACTIONS[action]
    const inputs = Object.entries(input.shape).map(([name, schema]): [string, ToolParameter] => [
      name,
      {
        type: 'string',
        isRequired: !schema.safeParse(undefined).success,
        value: { kind: 'model', description: schema.description ?? name },
      },
    ])
    return {
      description,
      timeoutSeconds: endpoint.timeoutSeconds,
      parameters: { ...Object.fromEntries(inputs), ...PROOF },
    }
  })

interface ToolAddress {
  /** The URL at which the provider reaches this API. */
  readonly publicUrl: string
  /** The provider's id of our tool secret. */
  readonly secretId: string
}

/** The tools as they are created at the provider. An agent gets those that its pack names. */
export const buildInlineTools = ({
  publicUrl,
  secretId,
}: ToolAddress): Readonly<Record<AgentAction, ServerTool>> =>
  recordByAction((action) => ({
    name: action,
    ...TOOL_DEFINITIONS[action],
    url: `${publicUrl.replace(/\/+$/, '')}/v1/tools/${action}`,
    headers: { 'x-tool-secret': { secretId } },
  }))
