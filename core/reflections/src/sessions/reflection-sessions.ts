import {
  type Agent,
  type AgentSession,
  type Channel,
  PlatformError,
  type Reflection,
  type SessionId,
  type StartedSession,
  type Transport,
} from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { planSession, requirePlan } from '../starting/plan-session.ts'
import { createPromptInputs } from '../starting/load-prompt-inputs.ts'
import {
  type CallClient,
  type CallResponses,
  startVoiceConversation,
} from '../starting/start-voice-conversation.ts'
import type { StartTime } from '../starting/start-session.ts'
import { startTyped } from '../starting/start-typed.ts'
import type { PlannedSession } from '../starting/starting-host.ts'
import { endSession, hangUp, removeSession } from './end-session.ts'
import { reconnectSession } from './reconnect-session.ts'
import { type ReflectionSessionsHost, type StartRequest, requireVoice } from './sessions-host.ts'

/** The operations on sessions with reflections. A failed start is thrown, and the session's row keeps its code. */
export interface ReflectionSessions {
  startTyped(request: StartRequest, time: StartTime): Promise<StartedSession>
  startVoiceConversation<Client extends CallClient>(
    request: StartRequest,
    client: Client,
    time: StartTime,
  ): Promise<CallResponses[Client]>
  /** Gives a session a new connection, which replaces the previous one. */
  reconnect<Client extends CallClient>(
    row: ReflectionSession,
    reflection: Reflection,
    connection: { readonly client: Client; readonly transport: Transport },
    time: StartTime,
  ): Promise<CallResponses[Client]>
  /** A fork contains the words of its session, so it keeps the same reflection and access. */
  fork(past: ReflectionSession, agent: Agent): Promise<AgentSession>
  /** Ends the session's tools and public scope. Typed messages become a source, if the session is learned from. */
  end(row: ReflectionSession): Promise<void>
  /** Ends a session whose messages are gone, and removes the provider's copy of its call. */
  remove(row: ReflectionSession, signal: AbortSignal): Promise<void>
  /** Hangs up the running calls among these sessions. If the provider fails, their tools stay refused and a warning is logged. */
  hangUp(sessionIds: readonly SessionId[]): Promise<void>
}

export const createReflectionSessions = (host: ReflectionSessionsHost): ReflectionSessions => ({
  startTyped: async (request, time) =>
    startTyped(createPlannedSession(request, 'text', host), { ...host, wait: time.wait }, time),
  async startVoiceConversation(request, client, time) {
    const spokenHost = requireVoice(host, time.wait)
    return startVoiceConversation(createPlannedSession(request, 'voice', host), client, spokenHost, time)
  },
  reconnect: (row, reflection, connection, time) =>
    reconnectSession({ row, reflection, ...connection }, host, time),
  fork: (past, agent) => forkSession(past, agent, host),
  end: (row) => endSession(row, host),
  remove: (row, signal) => removeSession(row, host, signal),
  hangUp: (sessionIds) => hangUp(sessionIds, host),
})

/** Throws if the session is refused. */
function createPlannedSession(
  request: StartRequest,
  channel: Channel,
  host: ReflectionSessionsHost,
): PlannedSession {
  const { reflection, personId, visitor, title, variables, reach, transport = 'websocket' } = request
  const plan = requirePlan(
    planSession({
      ...request,
      channel,
      hasEarlier: false,
      linkNamespaces: visitor?.link.namespaces,
      memberNamespaces: reach?.namespaces,
    }),
  )
  const sessionId = host.newSessionId()
  return {
    sessionId,
    channel,
    reflection,
    personId,
    plan,
    transport,
    inputs: createPromptInputs({ ...plan, reflectionId: reflection.id, personId, sessionId, reach }, host),
    ...(visitor && { visitor: { linkId: visitor.link.id, tokenHash: visitor.tokenHash } }),
    ...(title !== undefined && { title }),
    ...(variables && { variables }),
  }
}

/**
 * Nothing is learned from a fork: its past belongs to another session. It keeps the surface of its past, and has
 * no public scope, since visitors cannot fork.
 */
async function forkSession(
  past: ReflectionSession,
  agent: Agent,
  { sessions, store, sessionRows, newSessionId, errors }: ReflectionSessionsHost,
): Promise<AgentSession> {
  const { reflectionId, personId, mode, sessionAudience, surface, role, namespaces, isNarrowed } = past
  const id = newSessionId()
  const fields = { mode, sessionAudience, surface, role, namespaces, ingestion: 'keep-only' as const }
  const row = { sessionId: id, reflectionId, personId, ...fields, ...(isNarrowed && { isNarrowed }) }
  // The row comes first: if the process dies in between, the sweep of overdue starts removes both.
  await sessionRows.open({ ...row, channel: 'text', status: 'starting' })
  try {
    const session = await sessions.fork(past.sessionId, { id, ownerId: personId, agent })
    if (await sessionRows.activateTyped(id)) return session
    throw new PlatformError('session_ended', { message: 'The reflection was removed while this was forked.' })
  } catch (failure) {
    const code = failure instanceof PlatformError ? failure.code : 'internal'
    errors.capture(failure, { sessionId: id, code })
    await sessionRows.fail(id, code)
    if (await store.find(id)) await sessions.remove(id)
    throw failure
  }
}
