import type { Handlers } from './handlers.ts'
import { PreviewVariables } from '@parley/contracts'
import { previewSession, sessionSources, stillToExplore } from '@parley/reflections'
import type { Services } from '../services.ts'
import { reflectionHost } from '../reflections/reflection-sessions.ts'

/** Previews of sessions, without starting one. */
export function variableHandlers(services: Services) {
  return {
    previewVariables: async (c) => {
      const previewer = {
        reflection: c.get('reflection'),
        role: c.get('memberRole'),
        personId: c.get('caller').personId,
      }
      const request = PreviewVariables.parse(c.req.valid('json'))
      return c.json(await previewSession(request, previewer, reflectionHost(services)), 200)
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
        reflectionHost(services),
      )
      return c.json({ items: [...(await stillToExplore(sources, c.req.raw.signal))] }, 200)
    },
  } satisfies Partial<Handlers>
}
