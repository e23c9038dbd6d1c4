import { createHmac } from 'node:crypto'
import { computeConversationBindSig, type RuntimeAgents } from '@parley/reflections'
import type { Services } from '../services.ts'
import type { VoiceSettings } from './voice-settings.ts'

interface SpokenParts {
  readonly voice: VoiceSettings | undefined
  readonly agents: RuntimeAgents | undefined
}

/** Empty on a server without a voice provider. */
export function composeSpoken({ voice, agents }: SpokenParts): Pick<Services, 'spoken'> {
  if (!voice || !agents) return {}
  const spoken = {
    provider: voice.provider,
    agents,
    configured: {
      ...(voice.agentId !== undefined && { generic: voice.agentId }),
      ...(voice.interviewerAgentId !== undefined && { interviewer: voice.interviewerAgentId }),
    },
    bindSig: (conversationId: string) =>
      computeConversationBindSig(conversationId, voice.bindingSecrets[0], hmac),
  }
  return { spoken }
}

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')
