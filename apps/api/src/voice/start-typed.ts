import { createHash, randomFillSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Agent,
  type ErrorCode,
  PlatformError,
  type SessionId,
  type StartedSession,
} from '@parley/contracts'
import { createIdSource, narrowTools, sessionView } from '@parley/engine'
import {
  EXTRAS_MS,
  type ExtraSources,
  type SessionPlan,
  type StartTime,
  type Wait,
  agentOfPack,
  buildSessionDynamicExtras,
  firstMessageOfPack,
  interviewerPack,
  planSession,
  settleSurface,
  startOrUndo,
  variablesFor,
  withinDeadline,
} from '@parley/reflections'
import type { Services } from '../services.ts'
import { extraSources } from './extra-sources.ts'
import { NOWHERE } from './nowhere.ts'
import type { StartRequest } from './start-request.ts'
import { requirePlan } from './start-spoken.ts'
import { type PromotedRead, packFor } from './typed-plan.ts'

/** A typed session with a reflection: planned and started as a spoken one is, and then a session like any other. */
export function startTyped(
  request: StartRequest,
  services: Services,
  time: StartTime,
): Promise<StartedSession> {
  const plan = requirePlan(
    planSession({
      ...request,
      channel: 'text',
      hasEarlier: false,
      linkNamespaces: request.visitor?.link.namespaces,
      memberNamespaces: request.reach?.namespaces,
    }),
  )
  const sessionId = IDS.sessionId()
  const planned = { sessionId, plan, ...request }
  return startOrUndo(
    {
      sessionId,
      begin: (signal) => begin(planned, services, time.wait, signal),
      undo: (code) => undo(planned, code, services),
    },
    time,
    services.errors,
  )
}

async function begin(
  planned: Planned,
  services: Services,
  wait: Wait,
  signal: AbortSignal,
): Promise<StartedSession> {
  await open(planned, services, signal)
  const { sessionId, reflection, personId, title, variables, reach } = planned
  const toldTo = { ...planned.plan, reflectionId: reflection.id, personId, sessionId, reach }
  const sources = extraSources(toldTo, services)
  const plan = await settleSurface({ plan: planned.plan, sources }, wait, signal)
  const { mode, audience, surface } = plan
  const { agent, ...told } = await typedAgent({ ...planned, plan, sources }, services, wait, signal)
  signal.throwIfAborted()
  if (plan.ingestion === 'off-record') services.offRecord.admit(sessionId, personId, 'reflection')
  const session = await services.sessions.start(
    {
      id: sessionId,
      ownerId: personId,
      channel: 'text',
      agent,
      context: { ...NOWHERE, ...(variables && { variables }) },
      ...(title !== undefined && { title }),
    },
    signal,
  )
  signal.throwIfAborted()
  await refuseChanged(planned, services, signal)
  if (!(await services.reflectionSessions.activate(sessionId, surface, signal))) {
    throw endedMeanwhile(sessionId)
  }
  return {
    ...sessionView({ session, lastSequence: 1 }, { mayWrite: true }),
    mode,
    audience,
    surface,
    ...told,
  }
}

const IDS = createIdSource(randomFillSync)
export const afterwards: Wait = (ms, signal) => pause(ms, undefined, { signal }).catch(() => {})

interface Planned extends StartRequest {
  readonly sessionId: SessionId
  readonly plan: SessionPlan
}

async function open(
  { sessionId, plan, reflection, personId, visitor }: Planned,
  { reflectionSessions, publicScopes }: Services,
  signal: AbortSignal,
): Promise<void> {
  const { mode, audience, surface, role, ingestion, namespaces, isNarrowed } = plan
  const settled = {
    mode,
    sessionAudience: audience,
    surface,
    role,
    ingestion,
    namespaces,
    ...(isNarrowed && { isNarrowed }),
  }
  const who = {
    sessionId,
    reflectionId: reflection.id,
    personId,
    ...(visitor && { shareLinkId: visitor.link.id }),
  }
  await reflectionSessions.open(
    { ...who, ...settled, channel: 'text', status: 'starting' },
    visitor?.tokenHash,
    signal,
  )
  if (audience === 'public')
    await publicScopes.create({ sessionId, reflectionId: reflection.id, namespaces }, signal)
}

/** What was published or taken back while the session started is not what its agent was made from. */
async function refuseChanged(
  { plan, reflection }: Pick<Planned, 'plan' | 'reflection'>,
  { reflections }: Services,
  signal: AbortSignal,
): Promise<void> {
  if (plan.audience === 'private') return
  const now = await reflections.find(reflection.id, signal)
  if (now?.publishRevision === reflection.publishRevision) return
  throw new PlatformError('public_runtime_stale', {
    message: 'What is published has changed while this session started. Try again in a moment.',
    differs: ['the published namespaces'],
  })
}

const endedMeanwhile = (sessionId: SessionId) =>
  new PlatformError('session_ended', { sessionId, message: 'The session ended while it was starting.' })

/** Nothing is left of it but its row, which says why. */
const undo = (
  { sessionId, plan }: Planned,
  code: ErrorCode,
  { reflectionSessions, publicScopes, sessions, store, offRecord }: Services,
) => [
  reflectionSessions.fail(sessionId, code),
  ...(plan.audience === 'public' ? [publicScopes.end(sessionId)] : []),
  store
    .find(sessionId)
    .then((record) => record && sessions.remove(sessionId))
    .finally(() => offRecord.forget(sessionId)),
]

interface TypedFor extends Pick<StartRequest, 'reflection' | 'personId'> {
  readonly sessionId: SessionId
  readonly plan: SessionPlan
  readonly sources: ExtraSources
}

interface SpokenFor extends Pick<StartedSession, 'firstMessage' | 'cut' | 'warnings'> {
  readonly agent: Agent
}

/** The agent of the promoted pack, a generic one until there is any, or the interviewer, with what this session is told put in. */
async function typedAgent(
  { sessionId, plan, reflection, personId, sources }: TypedFor,
  services: Services,
  wait: Wait,
  signal: AbortSignal,
): Promise<SpokenFor> {
  const speaking =
    plan.mode === 'interview'
      ? INTERVIEWER
      : packFor(plan, reflection, await promotedIn(sources, wait, signal))
  const { agent: kind, pack } = speaking
  const extras = await buildSessionDynamicExtras({ reflection, plan, sources }, { wait, sha256 }, signal)
  const { variables, cut } = variablesFor({ sessionId, reflection, personId, plan }, kind, extras, {
    bindSig,
    sha256,
  })
  const model = services.agents.get(services.defaultAgentId)
  if (!model)
    throw new PlatformError('internal', { message: 'This server has no agent to take a model from.' })
  return {
    agent: narrowTools(agentOfPack(pack, variables, model), plan.actions),
    firstMessage: firstMessageOfPack(pack, variables),
    cut: [...cut],
    warnings: [...('warning' in speaking ? [speaking.warning] : []), ...extras.warnings],
  }
}

async function promotedIn(
  sources: Pick<ExtraSources, 'promoted'>,
  wait: Wait,
  signal: AbortSignal,
): Promise<PromotedRead> {
  try {
    const artifacts = await withinDeadline(sources.promoted, EXTRAS_MS, wait, signal)
    return artifacts === 'too late' ? { failure: artifacts } : { artifacts }
  } catch (failure) {
    return { failure }
  }
}

/** Nobody outside calls the tools of a typed session. */
const bindSig = () => ''

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const INTERVIEWER = { agent: 'own', pack: interviewerPack(sha256) } as const
