import type { ReflectionId, Surface } from '@parley/contracts'
import type { AgentTemplate } from '../template/agent-template.ts'
import { buildElevenLabsAgentTemplate, type ToolIds } from '../template/build-elevenlabs-agent-template.ts'
import type { SyncTarget } from './surface-now.ts'
import type { SyncHost } from './sync-host.ts'

/** The agent that a surface should have; undefined where something else was promoted meanwhile. */
export async function wantedTemplate(
  reflectionId: ReflectionId,
  surface: Surface,
  { generation, packKind, voiceId }: SyncTarget,
  { runtime, webhookId }: Pick<SyncHost, 'runtime' | 'webhookId'>,
  toolIds: ToolIds,
): Promise<AgentTemplate | undefined> {
  const audience = surface === 'public' ? 'public' : 'private'
  const served = await runtime.promoted(reflectionId, audience)
  if (served?.generation !== generation) return undefined
  const { prompt_packs, reflection_voice_dossier } = served.artifacts
  const { displayName } = reflection_voice_dossier[audience]
  return buildElevenLabsAgentTemplate(prompt_packs[packKind], {
    name: `${displayName}${agentMark(reflectionId, surface)}`,
    voiceId,
    toolIds,
    webhookId: await webhookId(),
  })
}

/** What ends the name of the agent, whoever it speaks for. */
export const agentMark = (reflectionId: ReflectionId, surface: Surface): string =>
  ` (${reflectionId} ${surface})`
