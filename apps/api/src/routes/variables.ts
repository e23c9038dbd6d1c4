import type { Handlers } from './handlers.ts'
import { PreviewVariables } from '@parley/contracts'
import { sessionSources, stillToExplore } from '@parley/reflections'
import type { Services } from '../services.ts'
import { previewSession } from '../reflections/preview-session.ts'
import { sha256 } from '../reflections/reflection-sessions.ts'

/** What a session would be told at its start, without starting one. */
export function variableHandlers(services: Services) {
  return {
    previewVariables: async (c) => {
      const looker = {
        reflection: c.get('reflection'),
        role: c.get('memberRole'),
        personId: c.get('caller').personId,
      }
      return c.json(await previewSession(PreviewVariables.parse(c.req.valid('json')), looker, services), 200)
    },

    listExploreNext: async (c) => {
      const reflection = c.get('reflection')
      const { personId } = c.get('caller')
      const reach = c.get('reach')
      const namespaces = reflection.namespaces.map(({ name }) => name)
      const sources = sessionSources(
        {
          reflectionId: reflection.id,
          audience: 'private',
          personId,
          namespaces,
          isNarrowed: reach !== undefined,
          reach,
        },
        { ...services, sha256 },
      )
      return c.json({ items: [...(await stillToExplore(sources, c.req.raw.signal))] }, 200)
    },
  } satisfies Partial<Handlers>
}
