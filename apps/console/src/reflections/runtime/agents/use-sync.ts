import type { AgentSurface, ReflectionId } from '@parley/contracts'
import { useReflectionChange } from '../../use-reflection.ts'

/** Brings one agent to what is promoted, or all of them. */
export const useSync = (reflectionId: ReflectionId) =>
  useReflectionChange(reflectionId, (reflections, which: AgentSurface | 'all') =>
    reflections.sync({ reflectionId, ...(which !== 'all' && { surface: which }) }),
  )

export type Sync = ReturnType<typeof useSync>
