import type { VoiceAction } from '@parley/contracts'
import { recordByAction } from '../modes/session-actions.ts'
import type { ServerTool, ToolParameter } from '../ports/server-tool.ts'

const fromVariable = (variable: string): ToolParameter => ({
  type: 'string',
  isRequired: true,
  value: { kind: 'variable', variable },
})

const fromModel = (description: string, isRequired = true): ToolParameter => ({
  type: 'string',
  isRequired,
  value: { kind: 'model', description },
})

/** The proof of a call's conversation. The model sees none of it, and no client can set the last one. */
const PROOF: ServerTool['parameters'] = {
  conversation_id: fromVariable('conversation_id'),
  conversation_bind_sig: fromVariable('conversation_bind_sig'),
  provider_conversation_id: fromVariable('system__conversation_id'),
}

/** The three server tools of a reflection's agent. */
export const TOOL_DEFINITIONS: Readonly<Record<VoiceAction, Omit<ServerTool, 'name' | 'url' | 'headers'>>> = {
  'retrieve-context': {
    description:
      'Finds what the sources say about a question, with where each passage comes from. Use it before you answer about facts.',
    timeoutSeconds: 5,
    parameters: { query: fromModel('The question, in full, as a person would ask it'), ...PROOF },
  },
  'request-source-ingest': {
    description:
      'Hands in something that the person told, to be learned from once it is approved. Use it only when they ask for it to be kept.',
    timeoutSeconds: 10,
    parameters: {
      text: fromModel('What they told, in their own words'),
      title: fromModel('A few words that name it', false),
      ...PROOF,
    },
  },
  'propose-fact-correction': {
    description:
      'Proposes that a known fact is wrong, and what is right. A person decides on it. Use it only when they say that something is wrong.',
    timeoutSeconds: 10,
    parameters: {
      fact: fromModel('The fact as it is known, or its id'),
      correction: fromModel('What is right, as a sentence'),
      ...PROOF,
    },
  },
}

export interface ToolPlace {
  /** The URL at which the provider reaches this API. */
  readonly publicUrl: string
  /** The provider's id of our tool secret. */
  readonly secretId: string
}

/** The tools as they are created at the provider. An agent gets those that its pack names. */
export const buildInlineTools = (place: ToolPlace): Readonly<Record<VoiceAction, ServerTool>> =>
  recordByAction((action) => serverTool(action, place))

const serverTool = (action: VoiceAction, { publicUrl, secretId }: ToolPlace): ServerTool => ({
  name: action,
  ...TOOL_DEFINITIONS[action],
  url: `${publicUrl.replace(/\/+$/, '')}/v1/tools/${action}`,
  headers: { 'x-tool-secret': { secretId } },
})
