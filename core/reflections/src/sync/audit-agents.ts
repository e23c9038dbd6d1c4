import type { AgentDrift, AgentSurface, ReflectionId } from '@parley/contracts'
import type { ToolIds } from '../template/build-elevenlabs-agent-template.ts'
import { compareAgent } from './compare-agent.ts'
import { agentSurfacesOf, surfaceNow } from './surface-now.ts'
import type { SyncHost } from './sync-host.ts'
import { readNow, syncReflectionRuntime } from './sync-reflection-runtime.ts'
import { closedTemplate, wantedTemplate } from './wanted-template.ts'

/** Compares each agent at the provider with its desired state. Nothing is written. */
export async function auditAgents(
  reflectionId: ReflectionId,
  host: SyncHost,
  signal: AbortSignal,
): Promise<readonly AgentDrift[]> {
  const drifts: AgentDrift[] = []
  for (const surface of agentSurfacesOf(await readNow(reflectionId, host))) {
    drifts.push(await auditAgent(reflectionId, surface, host, signal))
  }
  return drifts
}

/** Repairs differences and audits again. */
export async function repairAgents(
  reflectionId: ReflectionId,
  host: SyncHost,
  signal: AbortSignal,
): Promise<readonly AgentDrift[]> {
  for (const { surface, status, beyond } of await auditAgents(reflectionId, host, signal)) {
    if (status !== 'differs' && status !== 'gone') continue
    // An update only covers template fields. Other changes need a new agent.
    await syncReflectionRuntime(
      reflectionId,
      surface,
      host,
      signal,
      beyond.length > 0 ? 'recreate' : 'anyway',
    )
  }
  return auditAgents(reflectionId, host, signal)
}

async function auditAgent(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  host: SyncHost,
  signal: AbortSignal,
): Promise<AgentDrift> {
  const now = await readNow(reflectionId, host)
  const { agent, agentId, target } = surfaceNow(now, surface, host)
  if (agentId === undefined) return { surface, status: 'not_made', differences: [], beyond: [], why: [] }
  const wanted = (toolIds: ToolIds) =>
    target
      ? wantedTemplate(reflectionId, surface, target, host, toolIds)
      : closedTemplate(reflectionId, surface, now, host)
  const compared = await compareAgent({ agentId, made: now.syncs[surface]?.made, wanted }, host, signal)
  if (target) return { surface, ...compared }
  const why = `This surface must be closed: ${reasonFor(agent)}.`
  return { surface, ...compared, why: [...compared.why, why] }
}

function reasonFor(agent: ReturnType<typeof surfaceNow>['agent']): string {
  if (agent.kind === 'not-ready') return agent.missing
  return agent.kind === 'stale' ? agent.differs.join(', ') : 'it was promoted just now'
}
