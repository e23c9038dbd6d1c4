import type { AgentSurface, ReflectionId } from '@parley/contracts'
import type { AgentsState } from '../ports/sync-store.ts'
import { AgentTemplate } from '../template/agent-template.ts'
import { type ToolIds, buildAgentTemplate } from '../template/build-agent-template.ts'
import { buildPartPack } from '../packs/shared-packs.ts'
import type { SyncTarget } from './surface-state.ts'
import type { SyncHost } from './sync-host.ts'

/** The agent that a surface should have. Undefined if another generation was promoted since. */
export async function buildSurfaceTemplate(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  { generation, packKind, voiceId }: SyncTarget,
  { runtime, webhookId, sha256 }: Pick<SyncHost, 'runtime' | 'webhookId' | 'sha256'>,
  toolIds: ToolIds,
): Promise<AgentTemplate | undefined> {
  const audience = surface === 'public' || surface === 'public_part' ? 'public' : 'private'
  const served = await runtime.readPromoted(reflectionId, audience)
  if (served?.generation !== generation) return undefined
  const { prompt_packs, reflection_voice_dossier } = served.artifacts
  const { displayName } = reflection_voice_dossier[audience]
  const pack = surface === 'public_part' ? buildPartPack(sha256) : prompt_packs[packKind]
  return buildAgentTemplate(pack, {
    name: `${displayName}${formatAgentSuffix(reflectionId, surface)}`,
    voiceId,
    toolIds,
    webhookId: await webhookId(),
  })
}

/** The unique end of the agent's name. */
export const formatAgentSuffix = (reflectionId: ReflectionId, surface: AgentSurface): string =>
  ` (${reflectionId} ${surface})`

/** The agent of a closed surface. It knows nothing, and says that it is being updated. */
export const buildClosedTemplate = async (
  reflectionId: ReflectionId,
  surface: AgentSurface,
  { voiceId }: Pick<AgentsState, 'voiceId'>,
  { setUp, webhookId }: Pick<SyncHost, 'setUp' | 'webhookId'>,
): Promise<AgentTemplate> =>
  AgentTemplate.parse({
    name: `Closed${formatAgentSuffix(reflectionId, surface)}`,
    prompt: PROMPT,
    firstMessage: FIRST_MESSAGE,
    endCall: { guidance: 'End the call as soon as you have said that.' },
    voiceId: voiceId ?? setUp.defaultVoiceId,
    maxDurationSeconds: MAX_SECONDS,
    postCallWebhookId: await webhookId(),
  })

const MAX_SECONDS = 60
const FIRST_MESSAGE = 'This reflection is being updated. Please start again in a moment.'
const PROMPT = `This reflection is not available at the moment: it is being updated. You know nothing about anybody.
Whatever you are asked, say in one sentence that it is being updated and that a new conversation can be started in a moment; then call end_call.`
