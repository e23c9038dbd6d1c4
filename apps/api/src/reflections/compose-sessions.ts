import { createHmac } from 'node:crypto'
import type { Logger } from 'pino'
import type { SessionId } from '@parley/contracts'
import type { Secret, Sessions, ToolRegistry, ToolSession } from '@parley/engine'
import { type RetrievalHost, createRetrievalCache } from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import { type RuntimeAgents, computeConversationBindSig, endSession } from '@parley/reflections'
import type { Toolbox } from '@parley/tools'
import type { Services } from '../services.ts'
import { type OffRecord, createOffRecord } from './off-record.ts'
import { type ReflectionToolsHost, reflectionToolsOf } from './reflection-tools.ts'
import { retrieveForSession } from './retrieve-for-session.ts'
import type { VoiceSettings } from './voice-settings.ts'
import { createWebhook } from './webhook.ts'

export interface ToolsHost {
  readonly database: Database
  readonly vectors: Pick<RetrievalHost, 'embedder' | 'onVectorFailure'>
  readonly home: string
  readonly logger: Logger
  readonly mask: (text: string) => string
  readonly voice?: VoiceSettings | undefined
}

type ToolServices = Pick<
  Services,
  | 'reflectionSessions'
  | 'publicScopes'
  | 'transcripts'
  | 'roleOn'
  | 'now'
  | 'deadline'
  | 'retrieveForSession'
  | 'citations'
  | 'mask'
  | 'voice'
  | 'webhook'
>

/** What agents of reflections may call while they talk, and what becomes of what was said. */
export const composeTools = ({ database, vectors, home, logger, mask, voice }: ToolsHost): ToolServices => ({
  reflectionSessions: database.reflectionSessions,
  publicScopes: database.publicScopes,
  transcripts: database.transcripts,
  roleOn: (reflectionId, personId) => database.tokens.roleOn(reflectionId, personId),
  now: Date.now,
  deadline: (ms) => AbortSignal.timeout(ms),
  retrieveForSession: retrieveForSession({ database, cache: createRetrievalCache(performance), ...vectors }),
  citations: database.citations,
  mask,
  ...(voice && { voice, webhook: createWebhook({ voice, home, logger }) }),
})

interface TypedParts {
  readonly database: Database
  readonly toolbox: Toolbox
  readonly secrets: () => readonly Secret[]
  readonly tools: Pick<
    Services,
    'roleOn' | 'now' | 'retrieveForSession' | 'reflectionSessions' | 'transcripts' | 'publicScopes'
  >
  /** Composed with what is composed here. */
  readonly sessions: () => Sessions
}

interface Typed {
  readonly offRecord: OffRecord
  readonly toolsOf: (session: ToolSession) => Promise<ToolRegistry>
}

/** What typed sessions with reflections need: a place off the record, and tools of their own. */
export function composeTyped({ database, toolbox, secrets, tools, sessions }: TypedParts): Typed {
  const kept = database.sessions
  const { reflections, shareLinks } = database

  const endOld = async (sessionId: SessionId) => {
    await sessions().cancel(sessionId)
    await sessions().remove(sessionId)
    const session = await tools.reflectionSessions.find(sessionId)
    if (session) await endSession(session, { ...tools, reflections, shareLinks, store: kept })
  }
  const host: ReflectionToolsHost = {
    ...tools,
    reflections,
    shareLinks,
    secrets,
    handleOf: (bytes) => kept.handleOf(bytes),
  }
  return {
    offRecord: createOffRecord({ kept, clock: Date, endOld }),
    toolsOf: async (session) => (await reflectionToolsOf(session, host)) ?? toolbox.toolsOf(session),
  }
}

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
