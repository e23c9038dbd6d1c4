import { randomFillSync } from 'node:crypto'
import {
  type AgentSession,
  FsScopeTier,
  PlatformError,
  type SessionContext,
  type SessionId,
  type StartAnySession,
  type StartSession,
  type StartVoiceSession,
  type StartedSession,
} from '@parley/contracts'
import { type NewSession, createIdSource, narrowTools, sessionView } from '@parley/engine'
import {
  type SpokenKind,
  type StartRequest,
  type StartTime,
  type StartedAnswers,
  inTime,
} from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { reflectionFor } from '../auth/enter-reflection.ts'
import { reflectionSessionsOf, wait } from '../reflections/reflection-sessions.ts'
import type { Services } from '../services.ts'
import { agentFor } from './agent-for.ts'

/** The session that a person asks for: spoken, typed with a reflection, or with an agent of the server. */
export async function startAny<Kind extends SpokenKind>(
  body: StartAnySession,
  caller: Caller,
  kind: Kind,
  services: Services,
): Promise<StartedAnswers[Kind] | StartedSession> {
  return inTime(wait, async (time) => {
    if (body.channel === 'voice') return startVoice(body, caller, kind, services, time)
    const request = await time.within(() => typedRequest(body, caller, services))
    return request
      ? reflectionSessionsOf(services).start(request, 'text', time)
      : startWithAgent(body, caller, services)
  })
}

async function startVoice<Kind extends SpokenKind>(
  { reflectionId, agentType, mode, roomPrefix, offRecord, transport, title }: StartVoiceSession,
  caller: Caller,
  kind: Kind,
  services: Services,
  time: StartTime,
): Promise<StartedAnswers[Kind]> {
  const entered = await time.within(() => reflectionFor(caller, reflectionId, services.reflections))
  const request = {
    ...entered,
    personId: caller.personId,
    audience: 'private' as const,
    hints: { agentType, mode, roomPrefix },
    offRecord,
    transport,
    ...(title !== undefined && { title }),
  }
  return reflectionSessionsOf(services).start(request, kind, time)
}

async function startWithAgent(
  { channel, title, context, tools, offRecord, ...named }: StartSession,
  caller: Caller,
  services: Services,
): Promise<StartedSession> {
  const { personId } = caller
  const standing = await services.contextOf(personId)
  const opening = {
    id: IDS.sessionId(),
    ownerId: personId,
    channel,
    agent: narrowTools(agentFor(named, caller, services), tools),
    context: contextFor(context, caller, standing, services.widestTier),
    ...(title !== undefined && { title }),
  }
  const session = offRecord ? await startOffRecord(opening, services) : await services.sessions.start(opening)
  return sessionView({ session, lastSequence: 1 }, { mayWrite: true })
}

async function startOffRecord(
  opening: NewSession & { readonly id: SessionId },
  { sessions, offRecord }: Services,
): Promise<AgentSession> {
  offRecord.admit(opening.id, opening.ownerId, 'agent')
  try {
    return await sessions.start(opening)
  } catch (failure) {
    offRecord.forget(opening.id)
    throw failure
  }
}

const IDS = createIdSource(randomFillSync)

/** The context of a new session. Where it works, and how far it reaches, is for the server's owner to say, within its config. */
function contextFor(
  asked: StartSession['context'],
  caller: Caller,
  standing: SessionContext,
  widest: FsScopeTier,
): SessionContext {
  if (!asked) return standing
  const reachesOut = asked.workingDir !== undefined || asked.fsScopeTier !== standing.fsScopeTier
  if (reachesOut && caller.role !== 'owner') {
    throw new PlatformError('forbidden', {
      message: 'Only the owner may set context.workingDir and context.fsScopeTier.',
    })
  }
  return {
    ...standing,
    ...asked,
    workingDir: asked.workingDir ?? standing.workingDir,
    fsScopeTier: narrower(asked.fsScopeTier, widest),
  }
}

const narrower = (asked: FsScopeTier, widest: FsScopeTier): FsScopeTier =>
  FsScopeTier.options.indexOf(asked) < FsScopeTier.options.indexOf(widest) ? asked : widest

/** What a member asks for who wants to type with a reflection; undefined where no reflection is named. */
async function typedRequest(
  body: StartSession,
  caller: Caller,
  { reflections }: Pick<Services, 'reflections'>,
): Promise<StartRequest | undefined> {
  const { reflectionId, agentType, mode, roomPrefix, offRecord = false, title, context } = body
  if (reflectionId === undefined) {
    const named = OF_REFLECTIONS.find((key) => body[key] !== undefined)
    if (named !== undefined)
      throw wrong(`${named} is for a session with a reflection: name one by reflectionId.`)
    return undefined
  }
  const named = OF_AGENTS.find((key) => body[key] !== undefined)
  if (named !== undefined) {
    throw wrong(`A reflection speaks with its own agent: leave out ${named}, or leave out reflectionId.`)
  }
  const entered = await reflectionFor(caller, reflectionId, reflections)
  return {
    ...entered,
    personId: caller.personId,
    audience: 'private',
    hints: { agentType, mode, roomPrefix },
    offRecord,
    ...(title !== undefined && { title }),
    ...(context?.variables && { variables: context.variables }),
  }
}

const OF_REFLECTIONS = ['agentType', 'mode', 'roomPrefix'] as const
const OF_AGENTS = ['agent', 'agentId', 'tools'] as const

const wrong = (message: string) => new PlatformError('validation', { message })
