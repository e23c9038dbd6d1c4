import { randomFillSync } from 'node:crypto'
import type {
  AgentSession,
  SessionId,
  StartAnySession,
  StartedSession,
  StartSession,
  StartVoiceSession,
} from '@parley/contracts'
import { createIdSource, narrowTools, type NewSession, sessionView } from '@parley/engine'
import { inTime, type StartTime } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { reflectionFor } from '../auth/enter-reflection.ts'
import type { Services } from '../services.ts'
import { type Shape, type SpokenAnswers, startSpoken } from '../voice/start-spoken.ts'
import { afterwards, startTyped } from '../voice/start-typed.ts'
import { typedRequest } from '../voice/typed-request.ts'
import { agentFor } from './agent-for.ts'
import { contextFor } from './context-for.ts'

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
