import { createRoute } from '@hono/zod-openapi'
import { ExploreNext, LookAtVariables, ReflectionRef, VariablesLook } from '@parley/contracts'
import { sessionSources, stillToExplore } from '@parley/reflections'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import { previewSession } from '../reflections/preview-session.ts'
import { sha256 } from '../reflections/reflection-sessions.ts'
import { body, json, problems } from './describe.ts'

/** What a session would be told at its start, without starting one. */
export function variableRoutes(app: Api, services: Services) {
  app.openapi(LOOK, async (c) => {
    const looker = {
      reflection: c.get('reflection'),
      role: c.get('memberRole'),
      personId: c.get('caller').personId,
    }
    return c.json(await previewSession(LookAtVariables.parse(c.req.valid('json')), looker, services), 200)
  })

  app.openapi(EXPLORE, async (c) => {
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
  })
}

const LOOK = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/variables',
  summary: 'What a session of some kind would be allowed and told: every variable, and what becomes of it',
  description:
    'A dry run by the functions that start a session. Nothing is started, kept or signed, and the provider is not asked. Recap and context are your own, never another person’s.',
  request: { params: ReflectionRef, body: { ...body(LookAtVariables), required: false } },
  responses: { 200: json(VariablesLook, 'The plan, and every variable'), ...problems },
})

const EXPLORE = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/explore-next',
  summary: 'What an interview with you would ask about, in order',
  description: 'What is still unknown, without what you answered in an earlier interview.',
  request: { params: ReflectionRef },
  responses: { 200: json(ExploreNext, 'The questions'), ...problems },
})
