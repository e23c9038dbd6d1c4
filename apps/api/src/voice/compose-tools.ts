import { createRetrievalCache, type RetrievalHost } from '@parley/knowledge'
import type { Database } from '@parley/postgres'
import type { Logger } from 'pino'
import type { Services } from '../services.ts'
import { retrieveForSession } from './retrieve-for-session.ts'
import type { VoiceSettings } from './voice-settings.ts'
import { createWebhook } from './webhook.ts'

export interface ToolsHost {
  readonly database: Database
  readonly vectors: Pick<RetrievalHost, 'embedder' | 'onMissed'>
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
