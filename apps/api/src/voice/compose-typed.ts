import type { SessionId } from '@parley/contracts'
import type { Secret, Sessions, ToolRegistry, ToolSession } from '@parley/engine'
import type { Database } from '@parley/postgres'
import { endSession } from '@parley/reflections'
import type { Toolbox } from '@parley/tools'
import type { Services } from '../services.ts'
import { createOffRecord, type OffRecord } from './off-record.ts'
import { type ReflectionToolsHost, reflectionToolsOf } from './reflection-tools.ts'

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
