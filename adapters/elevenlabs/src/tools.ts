import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { HeaderValue, ParameterSource, ServerTool, VoiceProvider } from '@parley/voice'
import { unlessMissing } from './call/agent-outcome.ts'
import { allPages } from './call/all-pages.ts'
import type { Caller } from './call/caller.ts'

type Tools = Pick<VoiceProvider, 'ensureTool' | 'removeTool'>

export const toolsOf = ({ call }: Caller): Tools => ({
  async ensureTool(tool, signal) {
    const request = { toolConfig: toolConfigOf(tool) }
    const tools = await allPages(async (cursor) => {
      const page = await call('read', signal, (client, options) =>
        client.conversationalAi.tools.list({ search: tool.name, pageSize: 100, ...cursor }, options),
      )
      return { items: page.tools, ...page }
    })
    // By address too: another installation may have a tool of the same name in this workspace.
    const held = tools.find(({ toolConfig }) => isSame(toolConfig, tool))
    const { id } = await call('write', signal, (client, options) =>
      held
        ? client.conversationalAi.tools.update(held.id, request, options)
        : client.conversationalAi.tools.create(request, options),
    )
    return id
  },

  async removeTool(toolId, signal) {
    await unlessMissing(
      call('write', signal, (client, options) => client.conversationalAi.tools.delete(toolId, {}, options)),
    )
  },
})

const isSame = (held: ElevenLabs.ToolResponseModelToolConfig, { name, url }: ServerTool): boolean =>
  held.type === 'webhook' && held.name === name && held.apiSchema.url === url

/** The tool as the provider takes it. */
function toolConfigOf(tool: ServerTool): ElevenLabs.ToolRequestModelToolConfig {
  const parameters = Object.entries(tool.parameters)
  return {
    type: 'webhook',
    name: tool.name,
    description: tool.description,
    responseTimeoutSecs: tool.timeoutSeconds,
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
