import {
  type Agent,
  type AgentSession,
  PlatformError,
  type Reflection,
  type SessionId,
  type Transport,
} from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { planSession, requirePlan, type SessionPlan } from '../starting/plan-session.ts'
import { startMobileConversation, startVoiceConversation } from '../starting/start-conversation.ts'
import { type StartTime, startSession } from '../starting/start-session.ts'
import type { NewSpokenSession, CallRecord, PlannedSession } from '../starting/starting-host.ts'
import { endSession, hangUp, removeSession } from './end-session.ts'
import { reconnectSession } from './reconnect-session.ts'
import { createSessionSources } from './session-sources.ts'
import {
  type ReflectionSessionsHost,
  type SpokenKind,
  type StartKind,
  type StartedAnswers,
  requireSpokenHost,
  toStartHost,
  type StartRequest,
  NO_FOLDER,
} from './sessions-host.ts'
import { createTypedSteps } from './start-typed.ts'
import { buildInterviewerPack } from '../packs/shared-packs.ts'
import { buildSessionAgent } from '../packs/build-session-agent.ts'
import { requirePack } from '../packs/choose-pack.ts'

/** The operations on sessions with reflections. */
export interface ReflectionSessions {
  /** Starts a typed or a spoken session. A failure is thrown, and the session's row keeps its code. */
  start<Kind extends StartKind>(
    request: StartRequest,
    kind: Kind,
    time: StartTime,
  ): Promise<StartedAnswers[Kind]>
  /** Gives a session a new connection, which replaces the previous one. */
  reconnect<Kind extends SpokenKind>(
    session: ReflectionSession,
    reflection: Reflection,
    client: { readonly kind: Kind; readonly transport: Transport },
    time: StartTime,
  ): Promise<StartedAnswers[Kind]>
  /** A fork contains the words of its session, so it keeps the same reflection and access. */
  fork(past: ReflectionSession, agent: Agent): Promise<AgentSession>
  /** Ends the session's tools and public scope. Typed messages become a source, if the session is learned from. */
  end(session: ReflectionSession): Promise<void>
  /** Ends a session whose messages are gone, and removes the provider's copy of its call. */
  remove(session: ReflectionSession, signal: AbortSignal): Promise<void>
  /** Hangs up the running calls among these sessions. If the provider fails, their tools stay refused and a warning is logged. */
  hangUp(sessionIds: readonly SessionId[]): Promise<void>
}

export const createReflectionSessions = (host: ReflectionSessionsHost): ReflectionSessions => ({
  async start(request, kind, time) {
    if (kind !== 'text') requireSpokenHost(host, time.wait)
    return START[kind](planRequestedSession(request, kind, host), host, time)
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
    session: RequestedSession,
    host: ReflectionSessionsHost,
    time: StartTime,
  ) => Promise<StartedAnswers[Kind]>
} = {
  text(session, host, time) {
    const startHost = toStartHost(host, time.wait)
    return startSession(session, createTypedSteps(session, host, startHost), startHost, time)
  },
  web: (session, host, time) =>
    startVoiceConversation(addCallRecord(session, host), requireSpokenHost(host, time.wait), time),
  mobile: (session, host, time) =>
    startMobileConversation(addCallRecord(session, host), requireSpokenHost(host, time.wait), time),
}

type RequestedSession = ReturnType<typeof planRequestedSession>

function planRequestedSession(request: StartRequest, kind: StartKind, host: ReflectionSessionsHost) {
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
    sources: createSessionSources({ ...plan, reflectionId: reflection.id, personId, sessionId, reach }, host),
    ...(visitor && { visitor: { linkId: visitor.link.id, tokenHash: visitor.tokenHash } }),
    ...(title !== undefined && { title }),
    ...(variables && { variables }),
  } as const
}

/** Off the record nothing is stored. */
const addCallRecord = (session: RequestedSession, host: ReflectionSessionsHost): NewSpokenSession => ({
  ...session,
  ...(session.plan.ingestion !== 'off-record' && { record: createCallRecord(session, host) }),
})

/**
 * Nothing is learned from a fork: its past belongs to another session. Unlike `startSession` it keeps the surface of the
 * past, and has no public scope, since visitors cannot fork.
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

type RecordedSession = Pick<PlannedSession, 'sessionId' | 'personId' | 'sources'> &
  Pick<StartRequest, 'reflection' | 'title'>

/** Stores the session under which a call is read, resumed and exported. */
function createCallRecord(call: RecordedSession, host: ReflectionSessionsHost): CallRecord {
  const { sessions } = host
  const { sessionId, personId, title } = call
  let storing: Promise<unknown> | undefined
  return {
    async store(variables, plan, signal) {
      const agent = await buildTypedAgent(call, plan, variables, host, signal)
      const named = title === undefined ? {} : { title }
      const session = { id: sessionId, ownerId: personId, agent, context: NO_FOLDER, ...named }
      storing = sessions.start({ ...session, channel: 'voice' }, signal)
      await storing
    },

    async discard() {
      await storing?.catch(() => undefined)
      await sessions.remove(sessionId).catch((failure: unknown) => {
        if (!(failure instanceof PlatformError && failure.code === 'session_not_found')) throw failure
      })
    },
  }
}

/** The agent that answers if the call is continued in writing. */
async function buildTypedAgent(
  { reflection, sources }: RecordedSession,
  plan: SessionPlan,
  variables: Readonly<Record<string, string>>,
  { defaultAgent, sha256 }: ReflectionSessionsHost,
  signal: AbortSignal,
): Promise<Agent> {
  const model = defaultAgent()
  if (plan.mode === 'interview') return buildSessionAgent(buildInterviewerPack(sha256), variables, model)
  const read = await sources.readPromoted(signal).then(
    (artifacts) => ({ artifacts }),
    (failure: unknown) => ({ failure }),
  )
  const { pack } = requirePack(plan, reflection, read, sha256)
  return narrowTools(buildSessionAgent(pack, variables, model), plan.actions)
}
