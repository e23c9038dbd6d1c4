import type { Handlers } from './handlers.ts'
import { previewSession, createMemberPromptInputs, listOpenQuestions } from '@parley/reflections'
import type { Services } from '../services.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'

/** Previews of sessions, without starting one. */
export function createVariableHandlers(services: Services) {
  const host = toReflectionHost(services)

  return {
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
  } satisfies Partial<Handlers>
}
