import { Hono } from 'hono'
import { FaultRules } from '../faults/faults.ts'
import { readBody } from './read-request.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

/** The switch to misbehave, which is ours and no vendor's. */
export const faultRoutes = ({ faults }: RestServices) =>
  new Hono<RestEnv>()
    .get('/', (c) => c.json({ rules: faults.list() }))
    .put('/', async (c) => {
      faults.set((await readBody(c, FaultRules)).rules)
      return c.json({ rules: faults.list() })
    })
    .delete('/', (c) => {
      faults.set([])
      return c.json({ rules: [] })
    })
