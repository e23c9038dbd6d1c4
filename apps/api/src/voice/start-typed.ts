import { randomFillSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, type SessionId, type StartedSession } from '@parley/contracts'
import { createIdSource, sessionView } from '@parley/engine'
import {
  failureOfStart,
  inTime,
  planSession,
  type ReflectionSession,
  type SessionPlan,
  type Wait,
} from '@parley/voice'
import type { Services } from '../services.ts'
import { NOWHERE } from './nowhere.ts'
import type { StartRequest } from './start-request.ts'
import { earlierOf } from './start-spoken.ts'
import { typedAgent } from './typed-agent.ts'

/** A typed session with a reflection: planned and started as a spoken one is, and then a session like any other. */
export async function startTyped(
  request: StartRequest,
  services: Services,
  wait: Wait = afterwards,
): Promise<StartedSession> {
  const earlier = await earlierOf(request, services.reflectionSessions)
  const plan = planOf(request, earlier.length > 0)
  const sessionId = IDS.sessionId()
  const planned = { sessionId, plan, earlier, ...request }
  try {
    await open(planned, services)
    return await inTime(wait, (signal) => start(planned, services, wait, signal))
  } catch (failure) {
    await takeBack(sessionId, plan, failure, services)
    throw failureOfStart(failure, sessionId)
  }
}

async function start(
  planned: Planned,
  services: Services,
  wait: Wait,
  signal: AbortSignal,
): Promise<StartedSession> {
  const { sessionId, personId, title, variables, plan } = planned
  const { mode, audience, surface } = plan
  const { agent, ...told } = await typedAgent(planned, services, wait, signal)
  signal.throwIfAborted()
  if (plan.ingestion === 'off-record') services.offRecord.admit(sessionId, personId, 'reflection')
  const session = await services.sessions.start({
    id: sessionId,
    ownerId: personId,
    channel: 'text',
    agent,
    context: { ...NOWHERE, ...(variables && { variables }) },
    ...(title !== undefined && { title }),
  })
  // Whoever gave it up may have looked before it was there.
  if (signal.aborted) await services.sessions.remove(sessionId)
  signal.throwIfAborted()
  await refuseChanged(planned, services)
  if (!(await services.reflectionSessions.activate(sessionId))) throw endedMeanwhile(sessionId)
  return {
    ...sessionView({ session, lastSequence: 1 }, { mayWrite: true }),
    mode,
    audience,
    surface,
    ...told,
  }
}

const IDS = createIdSource(randomFillSync)
const afterwards: Wait = (ms, signal) => pause(ms, undefined, { signal }).catch(() => {})

function planOf(request: StartRequest, hasEarlier: boolean): SessionPlan {
  const linkNamespaces = request.visitor?.link.namespaces
  const memberNamespaces = request.reach?.namespaces
  const plan = planSession({ ...request, channel: 'text', hasEarlier, linkNamespaces, memberNamespaces })
  if (plan.kind === 'planned') return plan
  const { code, message, missing } = plan
  throw new PlatformError(code, { message, ...(missing && { missing: [...missing] }) })
}

interface Planned extends StartRequest {
  readonly sessionId: SessionId
  readonly plan: SessionPlan
  readonly earlier: readonly ReflectionSession[]
}

async function open(
  { sessionId, plan, reflection, personId, visitor }: Planned,
  { reflectionSessions, publicScopes }: Services,
): Promise<void> {
  const { mode, audience, surface, role, ingestion, namespaces, isNarrowed } = plan
  const settled = { mode, audience, surface, role, ingestion, namespaces, ...(isNarrowed && { isNarrowed }) }
  const who = {
    sessionId,
    reflectionId: reflection.id,
    personId,
    ...(visitor && { shareLinkId: visitor.link.id }),
  }
  await reflectionSessions.open(
    { ...who, ...settled, channel: 'text', status: 'starting' },
    visitor?.tokenHash,
  )
  if (audience === 'public') await publicScopes.create({ sessionId, reflectionId: reflection.id, namespaces })
}

/** What was published or taken back while the session started is not what its agent was made from. */
async function refuseChanged(
  { plan, reflection }: Pick<Planned, 'plan' | 'reflection'>,
  { reflections }: Services,
): Promise<void> {
  if (plan.audience === 'private') return
  const now = await reflections.find(reflection.id)
  if (now?.publishRevision === reflection.publishRevision) return
  throw new PlatformError('public_runtime_stale', {
    message: 'What is published has changed while this session started. Try again in a moment.',
    differs: ['the published namespaces'],
  })
}

const endedMeanwhile = (sessionId: SessionId) =>
  new PlatformError('session_ended', { sessionId, message: 'The session ended while it was starting.' })

/** Nothing is left of it but its row, which says why. */
async function takeBack(
  sessionId: SessionId,
  { audience }: SessionPlan,
  failure: unknown,
  { reflectionSessions, publicScopes, sessions, store, offRecord, errors }: Services,
): Promise<void> {
  const code = failure instanceof PlatformError ? failure.code : 'internal'
  errors.capture(failure, { sessionId, code })
  const done = await Promise.allSettled([
    reflectionSessions.fail(sessionId, code),
    audience === 'public' ? publicScopes.end(sessionId) : undefined,
    store.find(sessionId).then((record) => record && sessions.remove(sessionId)),
  ])
  offRecord.forget(sessionId)
  for (const each of done) {
    if (each.status === 'rejected') errors.capture(each.reason, { sessionId, code: 'internal' })
  }
}
