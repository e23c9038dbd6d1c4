import type { AgentSurface, ReflectionId } from '@parley/contracts'
import type { RuntimeNow } from '../ports/sync-store.ts'
import { AgentTemplate } from '../template/agent-template.ts'
import { type ToolIds, buildElevenLabsAgentTemplate } from '../template/build-elevenlabs-agent-template.ts'
import { partPack } from '../template/generic-pack.ts'
import type { SyncTarget } from './surface-now.ts'
import type { SyncHost } from './sync-host.ts'

/** The agent that a surface should have; undefined where another generation was promoted since. */
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

/** The unique end of the agent's name. */
export const agentMark = (reflectionId: ReflectionId, surface: AgentSurface): string =>
  ` (${reflectionId} ${surface})`

/** The agent of a closed surface: it knows nothing, and says that it is being rebuilt. */
export const closedTemplate = async (
  reflectionId: ReflectionId,
  surface: AgentSurface,
  { voiceId }: Pick<RuntimeNow, 'voiceId'>,
  { setUp, webhookId }: Pick<SyncHost, 'setUp' | 'webhookId'>,
): Promise<AgentTemplate> =>
  AgentTemplate.parse({
    name: `Closed${agentMark(reflectionId, surface)}`,
    prompt: PROMPT,
    firstMessage: FIRST_MESSAGE,
    endCall: { guidance: 'End the call as soon as you have said that.' },
    voiceId: voiceId ?? setUp.defaultVoiceId,
    maxDurationSeconds: MOST_SECONDS,
    postCallWebhookId: await webhookId(),
  })

const MOST_SECONDS = 60
const FIRST_MESSAGE = 'This reflection is being updated. Please start again in a moment.'
const PROMPT = `This reflection is not available at the moment: it is being updated. You know nothing about anybody.
Whatever you are asked, say in one sentence that it is being updated and that a new conversation can be started in a moment; then call end_call.`
