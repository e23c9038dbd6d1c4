import type {
  AgentSurface,
  AgentTestReport,
  DriftReport,
  ReflectionId,
  Surface,
  SurfaceStatus,
} from '@parley/contracts'

/** What admins do with the provider's agents of a reflection, beyond what sessions do by themselves. */
export interface RuntimeSync {
  status(reflectionId: ReflectionId): Promise<SurfaceStatus[]>
  /** One or all, as they should be, though nothing is known to differ. Throws where the provider fails. */
  sync(reflectionId: ReflectionId, surface?: AgentSurface): Promise<SurfaceStatus[]>
  audit(reflectionId: ReflectionId, how: 'report' | 'repair'): Promise<DriftReport>
  /** Closes the agents of all reflections that still hold what was taken back. */
  closeTakenBack(signal: AbortSignal): Promise<void>
  test(reflectionId: ReflectionId, surface: Surface, how: 'run' | 'list'): Promise<AgentTestReport>
}
