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
import { type StartTime, inTime } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { reflectionFor } from '../auth/enter-reflection.ts'
import type { Services } from '../services.ts'
import { type Shape, type SpokenAnswers, startSpoken } from '../voice/start-spoken.ts'
import { afterwards, startTyped } from '../voice/start-typed.ts'
import { typedRequest } from '../voice/typed-request.ts'
import { agentFor } from './agent-for.ts'

/** The session that a person asks for: spoken, typed with a reflection, or with an agent of the server. */
export async function startAny<Of extends Shape>(
  body: StartAnySession,
  caller: Caller,
  shape: Of,
  services: Services,
): Promise<SpokenAnswers[Of] | StartedSession> {
  return inTime(afterwards, async (time) => {
    if (body.channel === 'voice') return startVoice(body, caller, shape, services, time)
    const request = await time.within(() => typedRequest(body, caller, services))
    return request ? startTyped(request, services, time) : startWithAgent(body, caller, services)
  })
}

async function startVoice<Of extends Shape>(
  { reflectionId, agentType, mode, roomPrefix, offRecord, transport, title }: StartVoiceSession,
  caller: Caller,
  shape: Of,
  services: Services,
  time: StartTime,
): Promise<SpokenAnswers[Of]> {
  const entered = await time.within(() => reflectionFor(caller, reflectionId, services.reflections))
  const request = {
    ...entered,
    personId: caller.personId,
    audience: 'private' as const,
    hints: { agentType, mode, roomPrefix },
    offRecord,
    ...(title !== undefined && { title }),
  }
  return startSpoken(request, { transport, shape }, services, time)
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
