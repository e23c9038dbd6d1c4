import { createHash, createHmac, randomFillSync } from 'node:crypto'
import { createIdSource } from '@parley/engine'
import type { Database } from '@parley/postgres'
import { computeConversationBindSig, type ErrorReporter, type RuntimeAgents } from '@parley/reflections'
import type { Services } from '../services.ts'
import type { Spoken } from './spoken.ts'
import { afterwards } from './start-typed.ts'
import type { VoiceSettings } from './voice-settings.ts'

interface SpokenParts {
  readonly voice: VoiceSettings | undefined
  readonly database: Pick<Database, 'reflectionSessions' | 'publicScopes' | 'reflections'>
  readonly agents: RuntimeAgents | undefined
  readonly errors: ErrorReporter
}

/** Nothing where nothing is spoken. */
export function composeSpoken({ voice, database, agents, errors }: SpokenParts): Pick<Services, 'spoken'> {
  if (!voice || !agents) return {}
  const ids = createIdSource(randomFillSync)
  const spoken: Spoken = {
    newSessionId: () => ids.sessionId(),
    host: {
      provider: voice.provider,
      sessions: database.reflectionSessions,
      scopes: database.publicScopes,
      publishRevisionOf: async (reflectionId, signal) =>
        (await database.reflections.find(reflectionId, signal))?.publishRevision,
      agents,
      configured: {
        ...(voice.agentId !== undefined && { generic: voice.agentId }),
        ...(voice.interviewerAgentId !== undefined && { interviewer: voice.interviewerAgentId }),
      },
      errors,
      bindSig: (conversationId) => computeConversationBindSig(conversationId, voice.bindingSecrets[0], hmac),
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      wait: afterwards,
    },
  }
  return { spoken }
}

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')
