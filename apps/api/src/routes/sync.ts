import type { Handlers } from './handlers.ts'
import { PlatformError, type SurfaceStatus, TestAgents } from '@parley/contracts'
import { isAtLeast } from '@parley/reflections'
import type { Services } from '../services.ts'
import type { RuntimeSync } from '../reflections/compose-sync.ts'
import { lookForVoice } from '../reflections/listed-voice.ts'

/** The agents that speak for a reflection at the voice provider: how they stand, sync, audit, tests. */
export function syncHandlers(services: Services) {
  const { runtimeSync } = services

  return {
    getSyncStatus: async (c) => {
      const items = await spoken(runtimeSync).status(c.get('reflection').id)
      return c.json(
        { items: isAtLeast(c.get('memberRole'), 'admin') ? items : items.map(withoutHashes) },
        200,
      )
    },

    syncAgents: async (c) => {
      const { surface } = c.req.valid('json')
      await lookForVoice(c.get('reflection'), services)
      return c.json({ items: await spoken(runtimeSync).sync(c.get('reflection').id, surface) }, 200)
    },

    auditAgents: async (c) => {
      const how = c.req.valid('json').repair ? 'repair' : 'report'
      await lookForVoice(c.get('reflection'), services)
      return c.json(await spoken(runtimeSync).audit(c.get('reflection').id, how), 200)
    },

    testAgents: async (c) => {
      const { surface, run } = TestAgents.parse(c.req.valid('json'))
      const report = await spoken(runtimeSync).test(c.get('reflection').id, surface, run ? 'run' : 'list')
      return c.json(report, 200)
    },
  } satisfies Partial<Handlers>
}

function withoutHashes(status: SurfaceStatus): SurfaceStatus {
  const { synced: _, wanted: _wanted, ...told } = status
  return told
}

function spoken(runtimeSync: RuntimeSync | undefined): RuntimeSync {
  if (runtimeSync) return runtimeSync
  throw new PlatformError('provider_unavailable', {
    message: 'This server has no voice provider. `parley up` starts one; ELEVENLABS_API_KEY names another.',
  })
}
