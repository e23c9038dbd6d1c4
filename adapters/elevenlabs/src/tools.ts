import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { HeaderValue, HeldTool, ParameterSource, ServerTool, ToolParameter } from '@parley/reflections'
import { fieldsOf } from './vendor-values.ts'

/** How every tool of ours runs. It is said, so that an update also takes back what others changed. */
const MANNER = {
  interruptionMode: 'allow',
  preToolSpeech: 'auto',
  executionMode: 'immediate',
  assignments: [],
  followRedirects: false,
  // A refusal says what the agent is to do.
  toolErrorHandlingMode: 'passthrough',
} satisfies Partial<ElevenLabs.WebhookToolConfigInput>

/** The tool as the provider takes it. */
export function toolConfigOf(tool: ServerTool): ElevenLabs.ToolRequestModelToolConfig {
  const parameters = Object.entries(tool.parameters)
  return {
    type: 'webhook',
    name: tool.name,
    description: tool.description,
    responseTimeoutSecs: tool.timeoutSeconds,
    ...MANNER,
    apiSchema: {
      url: tool.url,
      method: 'POST',
      requestHeaders: Object.fromEntries(
        Object.entries(tool.headers).map(([name, value]) => [name, headerOf(value)]),
      ),
      requestBodySchema: {
        type: 'object',
        required: parameters.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
        properties: Object.fromEntries(
          parameters.map(([name, { type, value }]) => [name, { type, ...sourceOf(value) }]),
        ),
      },
    },
  }
}

function headerOf(value: HeaderValue) {
  if (typeof value === 'string') return value
  return 'secretId' in value ? { secretId: value.secretId } : { variableName: value.variable }
}

/** The provider takes exactly one of these. */
function sourceOf(source: ParameterSource) {
  switch (source.kind) {
    case 'model':
      return { description: source.description, ...(source.oneOf && { enum: [...source.oneOf] }) }
    case 'variable':
      return { dynamicVariable: source.variable }
    case 'constant':
      return { constantValue: source.constant }
    default:
      return source satisfies never
  }
}

type HeldConfig = ElevenLabs.ToolResponseModelToolConfig.Webhook

/** What the provider holds, in our shape; and what of the rest is not as it was sent, or was never sent. */
export function heldToolOf(held: HeldConfig): HeldTool {
  const { url, requestHeaders, requestBodySchema } = held.apiSchema
  const required = requestBodySchema?.required ?? []
  const tool: ServerTool = {
    name: held.name,
    description: held.description,
    url,
    headers: Object.fromEntries(
      Object.entries(requestHeaders ?? {}).map(([name, value]) => [name, heldHeaderOf(value)]),
    ),
    parameters: Object.fromEntries(
      Object.entries(requestBodySchema?.properties ?? {}).map(([name, property]) => [
        name,
        {
          type: (property.type ?? 'string') as ToolParameter['type'],
          isRequired: required.includes(name),
          value: heldSourceOf(property),
        },
      ]),
    ),
    timeoutSeconds: held.responseTimeoutSecs ?? USUAL_TIMEOUT,
  }
  const [sent, fields] = [fieldsOf(toolConfigOf(tool)), fieldsOf(held)]
  const isOther = (path: string) => JSON.stringify(sent[path]) !== JSON.stringify(fields[path])
  const added = Object.keys(fields).filter((path) => ADDED.test(path))
  return { tool, beyond: [...MANNERS.filter((path) => path in fields && isOther(path)), ...added] }
}

const USUAL_TIMEOUT = 20
const MANNERS: readonly string[] = [...Object.keys(MANNER), 'apiSchema.method']
/** What a tool of ours never has. */
const ADDED = /^apiSchema\.(?:queryParamsSchema|pathParamsSchema|authConnection)\b/

function heldHeaderOf(value: ElevenLabs.WebhookToolApiSchemaConfigOutputRequestHeadersValue): HeaderValue {
  if (typeof value === 'string') return value
  if ('secretId' in value) return { secretId: value.secretId }
  return { variable: 'variableName' in value ? value.variableName : value.envVarLabel }
}

function heldSourceOf(property: ElevenLabs.ObjectJsonSchemaPropertyOutputPropertiesValue): ParameterSource {
  const { dynamicVariable, constantValue, description } = property as ElevenLabs.LiteralJsonSchemaProperty
  const { enum: oneOf } = property as ElevenLabs.LiteralJsonSchemaProperty
  if (dynamicVariable) return { kind: 'variable', variable: dynamicVariable }
  if (constantValue !== undefined && constantValue !== null && constantValue !== '')
    return { kind: 'constant', constant: constantValue }
  return { kind: 'model', description: description ?? '', ...(oneOf?.length && { oneOf }) }
}
