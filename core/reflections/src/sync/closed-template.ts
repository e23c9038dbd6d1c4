import type { ReflectionId, AgentSurface } from '@parley/contracts'
import type { RuntimeNow } from '../ports/sync-store.ts'
import { AgentTemplate } from '../template/agent-template.ts'
import type { SyncHost } from './sync-host.ts'
import { agentMark } from './wanted-template.ts'

/** The agent of a surface while nothing may speak there: it knows nothing, and says that it is being made anew. */
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
const FIRST_MESSAGE = 'What speaks here is being made anew. Please start again in a moment.'
const PROMPT = `Nobody can be talked with here at the moment: what speaks here is being made anew. You know nothing of anybody.
Whatever you are asked, say in one sentence that it is being made anew and that a new conversation can be started in a moment; then call end_call.`
