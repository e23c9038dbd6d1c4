import { listWaitingApprovals } from '@parley/reflections'
import type { Services } from '../services.ts'
import type { Handlers } from './handlers.ts'

export function approvalHandlers(services: Services) {
  return {
    listApprovals: async (c) => c.json(await listWaitingApprovals(c.get('caller'), services), 200),
  } satisfies Partial<Handlers>
}
