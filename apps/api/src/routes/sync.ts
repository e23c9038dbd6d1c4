import { createRoute } from '@hono/zod-openapi'
import {
  AgentTestReport,
  AuditAgents,
  DriftReport,
  PlatformError,
  ReflectionRef,
  type SurfaceStatus,
  SyncReflection,
  SyncStatus,
  TestAgents,
} from '@parley/contracts'
import { isAtLeast } from '@parley/reflections'
import type { z } from 'zod'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import type { RuntimeSync } from '../reflections/compose-sync.ts'
import { lookForVoice } from '../reflections/listed-voice.ts'
import { body, json, problems } from './describe.ts'

/** The agents that speak for a reflection at the voice provider: how they stand, sync, audit, tests. */
export function syncRoutes(app: Api, services: Services) {
  const { runtimeSync } = services
  app.openapi(STATUS, async (c) => {
    const items = await spoken(runtimeSync).status(c.get('reflection').id)
    return c.json({ items: isAtLeast(c.get('memberRole'), 'admin') ? items : items.map(withoutHashes) }, 200)
  })

  app.openapi(SYNC, async (c) => {
    const { surface } = c.req.valid('json')
    await lookForVoice(c.get('reflection'), services)
    return c.json({ items: await spoken(runtimeSync).sync(c.get('reflection').id, surface) }, 200)
  })

  app.openapi(DRIFT, async (c) => {
    const how = c.req.valid('json').repair ? 'repair' : 'report'
    await lookForVoice(c.get('reflection'), services)
    return c.json(await spoken(runtimeSync).audit(c.get('reflection').id, how), 200)
  })

  app.openapi(TEST, async (c) => {
    const { surface, run } = TestAgents.parse(c.req.valid('json'))
    const report = await spoken(runtimeSync).test(c.get('reflection').id, surface, run ? 'run' : 'list')
    return c.json(report, 200)
  })
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

const unlessEmpty = <S extends z.ZodType>(schema: S) => ({ ...body(schema), required: false })

const STATUS = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/sync',
  summary: 'How the provider’s agent of each surface stands to what is promoted and published',
  request: { params: ReflectionRef },
  responses: { 200: json(SyncStatus, 'Each surface'), ...problems },
})

const SYNC = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/sync',
  summary: 'Bring the provider’s agents to what is promoted: one surface, or all',
  description: 'A surface that is not ready yet stays as it is, and the answer says so.',
  request: { params: ReflectionRef, body: unlessEmpty(SyncReflection) },
  responses: { 200: json(SyncStatus, 'Each surface afterwards'), ...problems },
})

const DRIFT = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/audit',
  summary: 'Compare what the provider holds with what should be there, field by field',
  description: 'With `repair` differences are fixed, and the answer shows the state after that.',
  request: { params: ReflectionRef, body: unlessEmpty(AuditAgents) },
  responses: { 200: json(DriftReport, 'Agent by agent'), ...problems },
})

const TEST = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/agent-tests',
  summary: 'Try the agent of a surface at the provider with tests made from its facts',
  description: 'Without `run` the tests are told and not run.',
  request: { params: ReflectionRef, body: unlessEmpty(TestAgents) },
  responses: { 200: json(AgentTestReport, 'Each test, with its verdict'), ...problems },
})
