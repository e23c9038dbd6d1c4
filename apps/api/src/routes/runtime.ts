import { PlatformError } from '@parley/contracts'
import {
  type AgentSync,
  createMemberPromptInputs,
  listOpenQuestions,
  previewSession,
  refreshVoiceListing,
  toReadableStatus,
} from '@parley/reflections'
import { toReflectionHost } from '../reflections/reflection-host.ts'
import type { Services } from '../services.ts'
import { type Handlers, omitUndefined } from './register-endpoints.ts'

/** The runtime of a reflection: versions of its artifacts, previews of sessions, and its agents at the voice provider. */
export function createRuntimeHandlers(services: Services) {
  const { runtime, agentSync, voice } = services
  const host = toReflectionHost(services)

  return {
    listGenerations: async (c) => {
      return c.json(
        await runtime.readLedger(c.get('reflection').id, omitUndefined(c.req.valid('query'))),
        200,
      )
    },

    getGeneration: async (c) => {
      const { generation } = c.req.valid('param')
      const stored = await runtime.readGeneration(c.get('reflection').id, generation)
      if (stored) return c.json(stored, 200)
      throw new PlatformError('not_found', {
        message: `There is no generation ${generation} of this reflection. GET …/artifacts lists them.`,
      })
    },

    previewVariables: async (c) => {
      const previewer = {
        reflection: c.get('reflection'),
        role: c.get('memberRole'),
        personId: c.get('caller').personId,
      }
      return c.json(await previewSession(c.req.valid('json'), previewer, host), 200)
    },

    listExploreNext: async (c) => {
      const member = {
        reflection: c.get('reflection'),
        personId: c.get('caller').personId,
        reach: c.get('reach'),
      }
      const inputs = createMemberPromptInputs(member, host)
      return c.json({ items: [...(await listOpenQuestions(inputs, c.req.raw.signal))] }, 200)
    },

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
