import { z } from 'zod'
import {
  AGENT_ACTIONS,
  type ActionInput,
  type ActionResponse,
  AgentAction,
  isReadOnlyAction,
} from '../agent-actions.ts'
import { strictObject } from '../strict-object.ts'
import { requireStorable } from '../text.ts'
import { jsonBody, defineEndpoints, jsonResponse } from './endpoint.ts'

/** Sent with every tool call: the proof of its conversation. */
const CallProof = z.object({
  conversation_id: z.string().max(200),
  conversation_bind_sig: z.string().max(1_000),
  provider_conversation_id: z.string().max(200),
})
type CallProof = z.infer<typeof CallProof>

const EXAMPLE_PROOF: CallProof = {
  conversation_id: 'ses_4k2m9q7w1x8z5c3v6b0n',
  conversation_bind_sig: '0'.repeat(64),
  provider_conversation_id: 'conv_made-up',
}

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text

/** The name of an action's endpoint. */
export type ActionEndpointName = CamelCase<AgentAction>

export const toActionEndpointName = (action: AgentAction): ActionEndpointName =>
  action.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as ActionEndpointName

/** The status of a successful response. What an action submits is processed later. */
export const getActionStatus = (action: AgentAction): 200 | 202 => (isReadOnlyAction(action) ? 200 : 202)

type ActionEndpoint<Action extends AgentAction> = {
  readonly method: 'post'
  readonly path: `/v1/tools/${Action}`
  readonly access: 'tool-secret'
  readonly summary: string
  readonly description: string
  readonly idempotent?: true
  readonly request: {
    readonly body: ReturnType<typeof jsonBody<z.ZodType<CallProof & ActionInput<Action>>>>
  }
  readonly responses: {
    readonly [Status in (typeof AGENT_ACTIONS)[Action]['effect'] extends 'reads' ? 200 : 202]: ReturnType<
      typeof jsonResponse<z.ZodType<ActionResponse<Action>>>
    >
  }
}

/** An action's input, sent with the proof of the conversation. */
function createActionEndpoint(action: AgentAction) {
  const { input, example, endpoint } = AGENT_ACTIONS[action]
  const { summary, description, response, responseDescription } = endpoint
  const schema = requireStorable(strictObject({ ...CallProof.shape, ...input.shape }))
  return {
    method: 'post',
    path: `/v1/tools/${action}`,
    access: 'tool-secret',
    summary,
    description,
    ...(!isReadOnlyAction(action) && { idempotent: true }),
    request: { body: jsonBody(schema, { ...EXAMPLE_PROOF, ...example }) },
    responses: { [getActionStatus(action)]: jsonResponse(response, responseDescription) },
  }
}

// The type pairs each name with its endpoint; a loop cannot.
const actionEndpoints = Object.fromEntries(
  AgentAction.options.map((action) => [toActionEndpointName(action), createActionEndpoint(action)]),
) as unknown as { readonly [Action in AgentAction as CamelCase<Action>]: ActionEndpoint<Action> }

export const PROVIDER = defineEndpoints('provider', {
  ...actionEndpoints,
  receiveElevenLabsWebhook: {
    method: 'post',
    path: '/v1/webhooks/elevenlabs',
    access: 'webhook-signature',
    rateLimit: 'webhook',
    summary: 'Receive a webhook of the voice provider',
    description: 'Signed by the provider. A call that is not ours gets a success response and is ignored.',
    responses: { 200: { description: 'Received' } },
  },
})
