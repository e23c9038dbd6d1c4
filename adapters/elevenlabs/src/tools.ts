import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { ServerTool, VoiceProvider } from '@parley/reflections'
import { unlessMissing } from './call/agent-outcome.ts'
import { allPages } from './call/all-pages.ts'
import type { Caller } from './call/caller.ts'
import { heldToolOf, toolConfigOf } from './tool-mapping.ts'

type Tools = Pick<VoiceProvider, 'ensureTool' | 'readTool' | 'removeTool'>

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

  async readTool(toolId, signal) {
    const held = await unlessMissing(
      call('read', signal, (client, options) => client.conversationalAi.tools.get(toolId, {}, options)),
    )
    return held?.toolConfig.type === 'webhook' ? heldToolOf(held.toolConfig) : undefined
  },

  async removeTool(toolId, signal) {
    await unlessMissing(
      call('write', signal, (client, options) => client.conversationalAi.tools.delete(toolId, {}, options)),
    )
  },
})

const isSame = (held: ElevenLabs.ToolResponseModelToolConfig, { name, url }: ServerTool): boolean =>
  held.type === 'webhook' && held.name === name && held.apiSchema.url === url
