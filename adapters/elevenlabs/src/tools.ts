import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type {
  HeaderValue,
  ProviderTool,
  ParameterSource,
  ServerTool,
  ToolParameter,
  VoiceProvider,
} from '@parley/reflections'
import { type VendorCaller, readAllPages, ignoreMissing } from './vendor-caller.ts'
import { flattenFields } from './vendor-values.ts'

type Tools = Pick<VoiceProvider, 'ensureTool' | 'readTool' | 'removeTool'>

export const createToolMethods = ({ call }: VendorCaller): Tools => ({
  async ensureTool(tool, signal) {
    const request = { toolConfig: toVendorTool(tool) }
    const tools = await readAllPages(async (cursor) => {
      const page = await call('read', signal, (client, options) =>
        client.conversationalAi.tools.list({ search: tool.name, pageSize: 100, ...cursor }, options),
      )
      return { items: page.tools, ...page }
    })
    // Compare the address too: another installation may use the same tool name in this workspace.
    const existing = tools.find(({ toolConfig }) => isSameTool(toolConfig, tool))
    const { id } = await call('write', signal, (client, options) =>
      existing
        ? client.conversationalAi.tools.update(existing.id, request, options)
        : client.conversationalAi.tools.create(request, options),
    )
    return id
  },

  async readTool(toolId, signal) {
    const existing = await ignoreMissing(
      call('read', signal, (client, options) => client.conversationalAi.tools.get(toolId, {}, options)),
    )
    return existing?.toolConfig.type === 'webhook' ? fromVendorTool(existing.toolConfig) : undefined
  },

  async removeTool(toolId, signal) {
    await ignoreMissing(
      call('write', signal, (client, options) => client.conversationalAi.tools.delete(toolId, {}, options)),
    )
  },
})

const isSameTool = (existing: ElevenLabs.ToolResponseModelToolConfig, { name, url }: ServerTool): boolean =>
  existing.type === 'webhook' && existing.name === name && existing.apiSchema.url === url

/** Settings of every tool. Always sent, so an update also undoes changes made at the provider. */
const TOOL_SETTINGS = {
  interruptionMode: 'allow',
  preToolSpeech: 'auto',
  executionMode: 'immediate',
  assignments: [],
  followRedirects: false,
  // Our refusals tell the agent what to do.
  toolErrorHandlingMode: 'passthrough',
} satisfies Partial<ElevenLabs.WebhookToolConfigInput>

/** The tool in the provider's format. */
export function toVendorTool(tool: ServerTool): ElevenLabs.ToolRequestModelToolConfig {
  const parameters = Object.entries(tool.parameters)
  return {
    type: 'webhook',
    name: tool.name,
    description: tool.description,
    responseTimeoutSecs: tool.timeoutSeconds,
    ...TOOL_SETTINGS,
    apiSchema: {
      url: tool.url,
      method: 'POST',
      requestHeaders: Object.fromEntries(
        Object.entries(tool.headers).map(([name, value]) => [name, toVendorHeader(value)]),
      ),
      requestBodySchema: {
        type: 'object',
        required: parameters.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
        properties: Object.fromEntries(
          parameters.map(([name, { type, value }]) => [name, { type, ...toVendorSource(value) }]),
        ),
      },
    },
  }
}

function toVendorHeader(value: HeaderValue) {
  if (typeof value === 'string') return value
  return 'secretId' in value ? { secretId: value.secretId } : { variableName: value.variable }
}

/** The provider requires exactly one source. */
function toVendorSource(source: ParameterSource) {
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

/** The provider's tool in our format, with the paths of all fields that differ from or were added to ours. */
export function fromVendorTool(existing: HeldConfig): ProviderTool {
  const { url, requestHeaders, requestBodySchema } = existing.apiSchema
  const required = requestBodySchema?.required ?? []
  const tool: ServerTool = {
    name: existing.name,
    description: existing.description,
    url,
    headers: Object.fromEntries(
      Object.entries(requestHeaders ?? {}).map(([name, value]) => [name, fromVendorHeader(value)]),
    ),
    parameters: Object.fromEntries(
      Object.entries(requestBodySchema?.properties ?? {}).map(([name, property]) => [
        name,
        {
          type: (property.type ?? 'string') as ToolParameter['type'],
          isRequired: required.includes(name),
          value: fromVendorSource(property),
        },
      ]),
    ),
    timeoutSeconds: existing.responseTimeoutSecs ?? DEFAULT_TIMEOUT_SECONDS,
  }
  const [sent, fields] = [flattenFields(toVendorTool(tool)), flattenFields(existing)]
  const differs = (path: string) => JSON.stringify(sent[path]) !== JSON.stringify(fields[path])
  const added = Object.keys(fields).filter((path) => ADDED.test(path))
  return {
    tool,
    unexpectedPaths: [...COMPARED_SETTINGS.filter((path) => path in fields && differs(path)), ...added],
  }
}

const DEFAULT_TIMEOUT_SECONDS = 20
const COMPARED_SETTINGS: readonly string[] = [...Object.keys(TOOL_SETTINGS), 'apiSchema.method']
/** Fields that our tools never have. */
const ADDED = /^apiSchema\.(?:queryParamsSchema|pathParamsSchema|authConnection)\b/

function fromVendorHeader(
  value: ElevenLabs.WebhookToolApiSchemaConfigOutputRequestHeadersValue,
): HeaderValue {
  if (typeof value === 'string') return value
  if ('secretId' in value) return { secretId: value.secretId }
  return { variable: 'variableName' in value ? value.variableName : value.envVarLabel }
}

function fromVendorSource(
  property: ElevenLabs.ObjectJsonSchemaPropertyOutputPropertiesValue,
): ParameterSource {
  const { dynamicVariable, constantValue, description } = property as ElevenLabs.LiteralJsonSchemaProperty
  const { enum: oneOf } = property as ElevenLabs.LiteralJsonSchemaProperty
  if (dynamicVariable) return { kind: 'variable', variable: dynamicVariable }
  if (constantValue !== undefined && constantValue !== null && constantValue !== '')
    return { kind: 'constant', constant: constantValue }
  return { kind: 'model', description: description ?? '', ...(oneOf?.length && { oneOf }) }
}
