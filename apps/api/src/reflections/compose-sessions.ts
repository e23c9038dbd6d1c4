import type { Logger } from 'pino'
import type { SessionId } from '@parley/contracts'
import type { Secret, Sessions, ToolRegistry, ToolSession } from '@parley/engine'
import { type RetrievalHost, createRetrievalCache } from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import {
  type OffRecord,
  type ReflectionToolsHost,
  type VoiceAgents,
  computeConversationBindSig,
  createOffRecord,
  createReflectionTools,
  endOffRecordSession,
} from '@parley/reflections'
import type { Toolbox } from '@parley/tools'
import type { Services } from '../services.ts'
import { bytesOf, hmac, sha256 } from '../node-host.ts'
import { composeRetrieveForSession } from './compose-retrieval.ts'
import type { VoiceSettings } from './voice-settings.ts'
import { createWebhook } from './webhook.ts'

export interface SessionServicesHost {
  readonly database: Database
  readonly vectors: Pick<RetrievalHost, 'embedder' | 'onVectorFailure'>
  readonly home: string
  readonly logger: Logger
  readonly mask: (text: string) => string
  readonly voice?: VoiceSettings | undefined
}

type SessionServices = Pick<
  Services,
  | 'sessionRows'
  | 'publicScopes'
  | 'transcripts'
  | 'findReflectionRole'
  | 'now'
  | 'deadline'
  | 'retrieveForSession'
  | 'citations'
  | 'mask'
  | 'voice'
  | 'webhook'
>

/** The stores, searches and clock of sessions with reflections, typed or spoken. */
export const composeSessionServices = ({
  database,
  vectors,
  home,
  logger,
  mask,
  voice,
}: SessionServicesHost): SessionServices => ({
  sessionRows: database.sessionRows,
  publicScopes: database.publicScopes,
  transcripts: database.transcripts,
  findReflectionRole: (reflectionId, personId) => database.tokens.findReflectionRole(reflectionId, personId),
  now: Date.now,
  deadline: (ms) => AbortSignal.timeout(ms),
  retrieveForSession: composeRetrieveForSession({
    database,
    cache: createRetrievalCache(performance),
    ...vectors,
  }),
  citations: database.citations,
  mask,
  ...(voice && { voice, webhook: createWebhook({ voice, home, logger }) }),
})

interface TypedParts {
  readonly database: Database
  readonly toolbox: Toolbox
  readonly secrets: () => readonly Secret[]
  readonly services: Pick<
    Services,
    'findReflectionRole' | 'now' | 'retrieveForSession' | 'sessionRows' | 'transcripts' | 'publicScopes'
  >
  /** Read later, since sessions are composed from the result. */
  readonly sessions: () => Sessions
}

interface Typed {
  readonly offRecord: OffRecord
  readonly getTools: (session: ToolSession) => Promise<ToolRegistry>
}

/** The store of off-record sessions, and the tools of typed sessions. */
export function composeTyped({ database, toolbox, secrets, services, sessions }: TypedParts): Typed {
  const durableStore = database.sessions
  const { reflections, shareLinks } = database

  const endHeldSession = (sessionId: SessionId) =>
    endOffRecordSession(sessionId, {
      ...services,
      reflections,
      shareLinks,
      store: durableStore,
      sessions: sessions(),
    })
  const host: ReflectionToolsHost = {
    ...services,
    reflections,
    shareLinks,
    secrets,
    toMediaHandle: (bytes) => durableStore.toMediaHandle(bytes),
    bytesOf,
    sha256,
  }
  return {
    offRecord: createOffRecord({ durableStore, clock: Date, endHeldSession }),
    getTools: async (session) => (await createReflectionTools(session, host)) ?? toolbox.openTools(session),
  }
}

interface SpokenParts {
  readonly voice: VoiceSettings | undefined
  readonly agents: VoiceAgents | undefined
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
