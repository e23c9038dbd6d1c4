import type { Handlers } from './handlers.ts'
import { PreviewVariables } from '@parley/contracts'
import { previewSession, createSessionSources, listOpenQuestions } from '@parley/reflections'
import type { Services } from '../services.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'

/** Previews of sessions, without starting one. */
export function createVariableHandlers(services: Services) {
  return {
    previewVariables: async (c) => {
      const previewer = {
        reflection: c.get('reflection'),
        role: c.get('memberRole'),
        personId: c.get('caller').personId,
      }
      const request = PreviewVariables.parse(c.req.valid('json'))
      return c.json(await previewSession(request, previewer, toReflectionHost(services)), 200)
    },

    listExploreNext: async (c) => {
      const reflection = c.get('reflection')
      const { personId } = c.get('caller')
      const reach = c.get('reach')
      const namespaces = reflection.namespaces.map(({ name }) => name)
      const sources = createSessionSources(
        {
          reflectionId: reflection.id,
          audience: 'private',
          personId,
          namespaces,
          isNarrowed: reach !== undefined,
          reach,
        },
        toReflectionHost(services),
      )
      return c.json({ items: [...(await listOpenQuestions(sources, c.req.raw.signal))] }, 200)
    },
  } satisfies Partial<Handlers>
}
