import type { SessionId, SessionView, WorkflowDefinition } from '@parley/contracts'
import { type AgentSessionRecord, type SessionStore, sessionView } from '@parley/engine'
import type { History } from '@parley/history'
import { openIdleSessions } from '../compose.ts'
import type { Config } from '../config.ts'

/** A session that a command names, and what can be done with it, wherever it is kept. */
export interface NamedSession extends Pick<SessionStore, 'readMessages' | 'getMedia'> {
  readonly id: SessionId
  /** As it was when it was found. */
  readonly view: SessionView
  /** Who answers in it. */
  readonly agent: string
  /** As it stands now. */
  look(): Promise<SessionView>
  rename(title: string): Promise<void>
  end(): Promise<void>
  /** False where nothing is being answered. */
  cancel(): Promise<boolean>
  remove(): Promise<void>
  exported(): Promise<{ readonly workflow: WorkflowDefinition; readonly yaml: string }>
  /** That it was exported is told in the session. */
  noteExport(): Promise<void>
}

/** Whoever has the history of a machine speaks in it. */
const OWN = { mayWrite: true }

/** One of the history of this machine. What it takes to do something with it is loaded when that is asked for. */
export function sessionHere(record: AgentSessionRecord, history: History, config: Config): NamedSession {
  const { store } = history
  const { id, agentSnapshot, context } = record.session
  const sessions = () => openIdleSessions(history, config, context)
  return {
    id,
    view: sessionView(record, OWN),
    agent: agentSnapshot.name ?? agentSnapshot.id,
    readMessages: (sessionId, range) => store.readMessages(sessionId, range),
    getMedia: (sessionId, handle) => store.getMedia(sessionId, handle),
    look: async () => sessionView((await store.find(id)) ?? record, OWN),
    rename: async (title) => (await sessions()).rename(id, title),
    end: async () => (await sessions()).end(id),
    cancel: async () => (await sessions()).cancel(id),
    remove: async () => (await sessions()).remove(id),
    exported: async () => (await sessions()).exported(id),
    noteExport: async () => (await sessions()).noteExport(id),
  }
}
