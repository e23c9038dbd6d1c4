import type { LookAtVariables } from '@parley/contracts'
import type { LookInAddress } from './look-in-address.ts'

/** What is asked of the server: of what was chosen, only what such a session has. */
export function lookWanted({ link, ...look }: LookInAddress): Partial<LookAtVariables> {
  const { audience = 'private', channel = 'voice', mode, role, surface, agent, offRecord, budget } = look
  const isPublic = audience === 'public'
  return {
    audience,
    channel,
    ...(mode && { mode }),
    ...(role && { role }),
    ...(offRecord && { offRecord }),
    ...(budget !== undefined && { budget }),
    ...(surface && !isPublic && { surface }),
    ...(agent && !isPublic && channel === 'voice' && { agent }),
    ...(link !== undefined && isPublic && { linkId: link }),
  }
}
