import type { ReflectionId, AgentSurface } from '@parley/contracts'
import type { AgentTemplate } from '../template/agent-template.ts'
import { buildElevenLabsAgentTemplate, type ToolIds } from '../template/build-elevenlabs-agent-template.ts'
import { partPack } from '../template/generic-pack.ts'
import type { SyncTarget } from './surface-now.ts'
import type { SyncHost } from './sync-host.ts'

/** The agent that a surface should have; undefined where something else was promoted meanwhile. */
export async function wantedTemplate(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  { generation, packKind, voiceId }: SyncTarget,
  { runtime, webhookId, sha256 }: Pick<SyncHost, 'runtime' | 'webhookId' | 'sha256'>,
  toolIds: ToolIds,
): Promise<AgentTemplate | undefined> {
  const audience = surface === 'public' || surface === 'public_part' ? 'public' : 'private'
  const served = await runtime.promoted(reflectionId, audience)
  if (served?.generation !== generation) return undefined
  const { prompt_packs, reflection_voice_dossier } = served.artifacts
  const { displayName } = reflection_voice_dossier[audience]
  const pack = surface === 'public_part' ? partPack(sha256) : prompt_packs[packKind]
  return buildElevenLabsAgentTemplate(pack, {
    name: `${displayName}${agentMark(reflectionId, surface)}`,
    voiceId,
    toolIds,
    webhookId: await webhookId(),
  })
}

/** What ends the name of the agent, whoever it speaks for. */
export const agentMark = (reflectionId: ReflectionId, surface: AgentSurface): string =>
  ` (${reflectionId} ${surface})`
