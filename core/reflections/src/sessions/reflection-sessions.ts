import {
  type Agent,
  type AgentSession,
  PlatformError,
  type Reflection,
  type SessionId,
  type Transport,
} from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { planSession } from '../starting/plan-session.ts'
import { startMobileConversation, startVoiceConversation } from '../starting/start-conversation.ts'
import { type StartTime, startSession } from '../starting/start-session.ts'
import type { ConversationOpening } from '../starting/starting-host.ts'
import { recordConversation } from './conversation-record.ts'
import { endSession, hangUp, removeSession } from './end-session.ts'
import { reconnectSession } from './reconnect-session.ts'
import { sessionSources } from './session-sources.ts'
import {
  type ReflectionSessionsHost,
  type SpokenKind,
  type StartKind,
  type StartedAnswers,
  requireSpoken,
  startingHost,
} from './sessions-host.ts'
import { type StartRequest, requirePlan } from './start-request.ts'
import { typedSteps } from './start-typed.ts'

/** Everything that happens to sessions with reflections. */
export interface ReflectionSessions {
  /** Typed or spoken: one order of steps, one way to fail. A failure is thrown with its code, and its row keeps the code. */
  start<Kind extends StartKind>(
    request: StartRequest,
    kind: Kind,
    time: StartTime,
  ): Promise<StartedAnswers[Kind]>
  /** The same session with a new connection, which replaces the one before. */
  reconnect<Kind extends SpokenKind>(
    session: ReflectionSession,
    reflection: Reflection,
    client: { readonly kind: Kind; readonly transport: Transport },
    time: StartTime,
  ): Promise<StartedAnswers[Kind]>
  /** A fork holds the words of its session, so it belongs to the same reflection and the same access rules. */
  fork(past: ReflectionSession, agent: Agent): Promise<AgentSession>
  /** Ends its tools and its public scope, and hands in the typed messages where they are learned from. */
  end(session: ReflectionSession): Promise<void>
  /** Ends a session whose messages are gone, and removes the provider's copy of its call. */
  remove(session: ReflectionSession, signal: AbortSignal): Promise<void>
  /** Hangs up the running calls among these sessions. If the provider fails, their tools stay refused and a warning is logged. */
  hangUp(sessionIds: readonly SessionId[]): Promise<void>
}

export const createReflectionSessions = (host: ReflectionSessionsHost): ReflectionSessions => ({
  async start(request, kind, time) {
    if (kind !== 'text') requireSpoken(host, time.wait)
    return START[kind](openingFor(request, kind, host), host, time)
  },
  reconnect: (session, reflection, client, time) =>
    reconnectSession({ session, reflection, ...client }, host, time),
  fork: (past, agent) => forkSession(past, agent, host),
  end: (session) => endSession(session, host),
  remove: (session, signal) => removeSession(session, host, signal),
  hangUp: (sessionIds) => hangUp(sessionIds, host),
})

const START: {
  readonly [Kind in StartKind]: (
    opening: RequestedOpening,
    host: ReflectionSessionsHost,
    time: StartTime,
  ) => Promise<StartedAnswers[Kind]>
} = {
  text(opening, host, time) {
    const starting = startingHost(host, time.wait)
    return startSession(opening, typedSteps(opening, host, starting), starting, time)
  },
  web: (opening, host, time) =>
    startVoiceConversation(withRecord(opening, host), requireSpoken(host, time.wait), time),
  mobile: (opening, host, time) =>
    startMobileConversation(withRecord(opening, host), requireSpoken(host, time.wait), time),
}

type RequestedOpening = ReturnType<typeof openingFor>

function openingFor(request: StartRequest, kind: StartKind, host: ReflectionSessionsHost) {
  const { reflection, personId, visitor, title, variables, reach, transport = 'websocket' } = request
  const channel = kind === 'text' ? 'text' : 'voice'
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
    sources: sessionSources({ ...plan, reflectionId: reflection.id, personId, sessionId, reach }, host),
    ...(visitor && { visitor: { linkId: visitor.link.id, tokenHash: visitor.tokenHash } }),
    ...(title !== undefined && { title }),
    ...(variables && { variables }),
  } as const
}

/** Off the record nothing is stored to be read later. */
const withRecord = (opening: RequestedOpening, host: ReflectionSessionsHost): ConversationOpening => ({
  ...opening,
  ...(opening.plan.ingestion !== 'off-record' && { record: recordConversation(opening, host) }),
})

/** Nothing is learned from a fork: its past belongs to another session. */
async function forkSession(
  past: ReflectionSession,
  agent: Agent,
  {
    sessions,
    store,
    reflectionSessions,
    newSessionId,
  }: Pick<ReflectionSessionsHost, 'sessions' | 'store' | 'reflectionSessions' | 'newSessionId'>,
): Promise<AgentSession> {
  const { reflectionId, personId, mode, sessionAudience, surface, role, namespaces, isNarrowed } = past
  const id = newSessionId()
  const settled = { mode, sessionAudience, surface, role, namespaces, ingestion: 'keep-only' as const }
  const row = { sessionId: id, reflectionId, personId, ...settled, ...(isNarrowed && { isNarrowed }) }
  // The row comes first: if the process dies in between, the sweep of overdue starts removes both.
  await reflectionSessions.open({ ...row, channel: 'text', status: 'starting' })
  try {
    const session = await sessions.fork(past.sessionId, { id, ownerId: personId, agent })
    if (await reflectionSessions.activate(id)) return session
    throw new PlatformError('session_ended', { message: 'The reflection was removed while this was forked.' })
  } catch (failure) {
    await reflectionSessions.fail(id, failure instanceof PlatformError ? failure.code : 'internal')
    if (await store.find(id)) await sessions.remove(id)
    throw failure
  }
}
