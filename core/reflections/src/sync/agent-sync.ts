import {
  type MemberRole,
  type AgentSurface,
  type AgentTestReport,
  type DriftReport,
  type ReflectionId,
  type Surface,
  type SurfaceStatus,
  type SyncMetadata,
  isAtLeast,
} from '@parley/contracts'
import { type AgentTestsHost, listAgentTests, runAgentTests } from '../agent-tests/run-agent-tests.ts'
import type { AgentTest } from '../ports/voice-provider.ts'
import { auditAgents, repairAgents } from './audit-agents.ts'
import { auditServerAgents, repairServerAgents } from './create-voice-agents.ts'
import { type SurfaceState, listAgentSurfaces, decideSurfaceState } from './surface-state.ts'
import { readAgentsState, syncReflectionRuntime } from './sync-reflection-runtime.ts'

/** The operations of admins on a reflection's agents at the provider. */
export interface AgentSync {
  status(reflectionId: ReflectionId): Promise<SurfaceStatus[]>
  /** Overwrites one agent or all, even without a known difference. Throws if the provider fails. */
  sync(reflectionId: ReflectionId, surface?: AgentSurface): Promise<SurfaceStatus[]>
  audit(reflectionId: ReflectionId, how: 'report' | 'repair'): Promise<DriftReport>
  test(reflectionId: ReflectionId, surface: Surface, how: 'list' | 'run'): Promise<AgentTestReport>
}

interface AgentSyncHost extends AgentTestsHost {
  /** Aborts after so many milliseconds. */
  readonly timeout: (ms: number) => AbortSignal
}

const TEST_MS = 600_000

export function createAgentSync(host: AgentSyncHost): AgentSync {
  const status = async (reflectionId: ReflectionId) => {
    const now = await readAgentsState(reflectionId, host)
    return listAgentSurfaces(now).map((surface) =>
      toSurfaceStatus(surface, decideSurfaceState(now, surface, host)),
    )
  }
  return {
    status,

    async sync(reflectionId, surface) {
      const surfaces = surface ? [surface] : listAgentSurfaces(await readAgentsState(reflectionId, host))
      const synced = await Promise.allSettled(
        surfaces.map((one) => syncReflectionRuntime(reflectionId, one, host, host.deadline(), 'anyway')),
      )
      const failed = synced.find((outcome) => outcome.status === 'rejected')
      if (failed) throw failed.reason
      return status(reflectionId)
    },

    async audit(reflectionId, how) {
      const [audit, auditServer] =
        how === 'repair' ? [repairAgents, repairServerAgents] : [auditAgents, auditServerAgents]
      return {
        items: [...(await audit(reflectionId, host, host.deadline()))],
        server: await auditServer(host, host.deadline()),
      }
    },

    async test(reflectionId, surface, how) {
      const signal = host.timeout(TEST_MS)
      if (how === 'list') {
        const { tests, warnings } = await listAgentTests(reflectionId, surface, host, signal)
        const items = tests.map((test) => ({ test: toBody(test), reasons: [] }))
        return { surface, warnings: [...warnings], items }
      }
      const { agentId, warnings, items } = await runAgentTests(reflectionId, surface, host, signal)
      return {
        surface,
        agentId,
        warnings: [...warnings],
        items: items.map(({ test, result: { verdict, reasons } }) => ({
          test: toBody(test),
          verdict,
          reasons: [...reasons],
        })),
      }
    },
  }
}

const toBody = (test: AgentTest): AgentTestReport['items'][number]['test'] => ({
  ...test,
  history: [...test.history],
})

const STATUSES = { fresh: 'fresh', stale: 'stale', 'not-ready': 'not_ready' } as const

const toSurfaceStatus = (
  surface: AgentSurface,
  { agent, agentId, target, synced }: SurfaceState,
): SurfaceStatus => ({
  surface,
  status: STATUSES[agent.kind],
  differs: agent.kind === 'stale' ? [...agent.differs] : [],
  missing: agent.kind === 'not-ready' ? [agent.missing] : [],
  ...(agentId !== undefined && { agentId }),
  ...(target && { packKind: target.packKind }),
  ...(synced && { syncedAt: synced.syncedAt, synced: pickHashes(synced) }),
  ...(target && { wanted: pickHashes(target) }),
})

const pickHashes = ({
  packKind,
  packContentHash,
  dossierHash,
  publishedScopeHash,
}: SyncMetadata): SyncMetadata => ({ packKind, packContentHash, dossierHash, publishedScopeHash })

/** The status as a member may read it: only admins see the hashes of private artifacts. */
export const toReadableStatus = (full: SurfaceStatus, role: MemberRole): SurfaceStatus =>
  isAtLeast(role, 'admin') ? full : removeHashes(full)

function removeHashes(full: SurfaceStatus): SurfaceStatus {
  const { synced: _, wanted: _wanted, ...status } = full
  return status
}
