import { createRoute } from '@hono/zod-openapi'
import { LedgerPage, PageQuery, PlatformError, ReflectionRef, StoredGeneration } from '@parley/contracts'
import { z } from 'zod'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import { json, problems } from './describe.ts'
import { present } from './present.ts'

/** What speaks for a reflection: the ledger of its generations, and each of them as it is stored. */
export function artifactRoutes(app: Api, { runtime }: Services) {
  app.openapi(LEDGER, async (c) => {
    return c.json(await runtime.ledger(c.get('reflection').id, present(c.req.valid('query'))), 200)
  })

  app.openapi(GENERATION, async (c) => {
    const { generation } = c.req.valid('param')
    const stored = await runtime.generation(c.get('reflection').id, generation)
    if (stored) return c.json(stored, 200)
    throw new PlatformError('not_found', {
      message: `There is no generation ${generation} here. The ledger, …/artifacts, names those that there are.`,
    })
  })
}

const LEDGER = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/artifacts',
  summary: 'What became of each generation of what speaks for it; latest first',
  description:
    'Each entry bears the hash of the one before it, and of the payload that it is about. `live` is the generation that serves.',
  request: { params: ReflectionRef, query: PageQuery },
  responses: { 200: json(LedgerPage, 'A page of the ledger'), ...problems },
})

const MOST_GENERATIONS = 2_147_483_647

const GENERATION = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/artifacts/{generation}',
  summary: 'One generation just as it is stored: evidence, dossiers and prompt packs, private ones too',
  description: 'Without `artifacts` where a source of it was removed: of those only the hash is left.',
  request: {
    params: ReflectionRef.extend({ generation: z.coerce.number().int().min(1).max(MOST_GENERATIONS) }),
  },
  responses: { 200: json(StoredGeneration, 'The generation'), ...problems },
})
