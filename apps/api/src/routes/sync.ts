import type { Handlers } from './handlers.ts'
import { PlatformError } from '@parley/contracts'
import { type AgentSync, refreshVoiceListing, toReadableStatus } from '@parley/reflections'
import type { Services } from '../services.ts'

/** The voice provider: its voices, and a reflection's agents there. */
export function createSyncHandlers(services: Services) {
  const { agentSync, voice } = services

  return {
    listVoices: async (c) => {
      const items = voice ? await voice.provider.listVoices(c.req.raw.signal) : []
      return c.json({ items: [...items] }, 200)
    },

    getSyncStatus: async (c) => {
      const items = await requireProvider(agentSync).status(c.get('reflection').id)
      return c.json({ items: items.map((status) => toReadableStatus(status, c.get('memberRole'))) }, 200)
    },

    syncAgents: async (c) => {
      const { surface } = c.req.valid('json')
      await refreshVoiceListing(c.get('reflection'), services)
      return c.json({ items: await requireProvider(agentSync).sync(c.get('reflection').id, surface) }, 200)
    },

    auditAgents: async (c) => {
      const how = c.req.valid('json').repair ? 'repair' : 'report'
      await refreshVoiceListing(c.get('reflection'), services)
      return c.json(await requireProvider(agentSync).audit(c.get('reflection').id, how), 200)
    },

    testAgents: async (c) => {
      const { surface, run } = c.req.valid('json')
      const report = await requireProvider(agentSync).test(
        c.get('reflection').id,
        surface,
        run ? 'run' : 'list',
      )
      return c.json(report, 200)
    },
  } satisfies Partial<Handlers>
}

function requireProvider(agentSync: AgentSync | undefined): AgentSync {
  if (agentSync) return agentSync
  throw new PlatformError('provider_unavailable', {
    message:
      'This server has no voice provider. `parley up` starts one. Set ELEVENLABS_API_KEY to use ElevenLabs.',
  })
}
