import { createHash } from 'node:crypto'
import {
  type Agent,
  type MobileSessionResponse,
  PlatformError,
  type Reflection,
  type Transport,
  type VoiceSessionResponse,
} from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import {
  agentOfPack,
  type Bound,
  type Conversation,
  type ConversationOpening,
  type ConversationRecord,
  currentReach,
  decideReconnect,
  interviewerPack,
  partOfPublished,
  type PlanRefused,
  planSession,
  reconnectMobileConversation,
  reconnectVoiceConversation,
  type ReflectionSession,
  sessionActions,
  type SessionPlan,
  type StartingHost,
  startMobileConversation,
  type StartTime,
  startVoiceConversation,
  VISITOR_CAPS,
  visibleNamespaces,
} from '@parley/reflections'
import type { Services } from '../services.ts'
import { extraSources } from './extra-sources.ts'
import { NOWHERE } from './nowhere.ts'
import { refuseOutdated } from './refuse-unheard.ts'
import type { Spoken } from './spoken.ts'
import type { StartRequest } from './start-request.ts'
import { packFor } from './typed-plan.ts'
import { today } from './visitor-limits.ts'

/** What each kind of client is answered. */
export interface SpokenAnswers {
  readonly web: VoiceSessionResponse
  readonly mobile: MobileSessionResponse
}

export type Shape = keyof SpokenAnswers

interface SpokenHow<Of extends Shape> {
  readonly transport: Transport
  readonly shape: Of
}

const START: {
  readonly [Of in Shape]: (
    opening: ConversationOpening,
    host: StartingHost,
    time: StartTime,
  ) => Promise<SpokenAnswers[Of]>
} = { web: startVoiceConversation, mobile: startMobileConversation }

const RECONNECT: {
  readonly [Of in Shape]: (
    conversation: Conversation,
    bound: Bound,
    host: StartingHost,
    time: StartTime,
  ) => Promise<SpokenAnswers[Of]>
} = { web: reconnectVoiceConversation, mobile: reconnectMobileConversation }

/** A spoken session: planned, then started, or a coded failure that its row tells of too. */
export async function startSpoken<Of extends Shape>(
  request: StartRequest,
  { transport, shape }: SpokenHow<Of>,
  services: Services,
  time: StartTime,
): Promise<SpokenAnswers[Of]> {
  const { host, newSessionId } = spokenIn(services)
  const { reflection, personId, visitor, title, reach } = request
  const plan = requirePlan(
    planSession({
      ...request,
      channel: 'voice',
      hasEarlier: false,
      linkNamespaces: visitor?.link.namespaces,
      memberNamespaces: reach?.namespaces,
    }),
  )
  const sessionId = newSessionId()
  const sources = extraSources({ ...plan, reflectionId: reflection.id, personId, sessionId, reach }, services)
  const conversation = { sessionId, reflection, personId, plan, transport, sources }
  return START[shape](
    {
      ...conversation,
      ...(visitor && { visitor: { linkId: visitor.link.id, tokenHash: visitor.tokenHash } }),
      ...(plan.ingestion !== 'off-record' && {
        record: recordOf({ ...conversation, title }, services),
      }),
    },
    host,
    time,
  )
}

/** The same session with a new connection, which takes the place of the one before. */
export async function reconnectSpoken<Of extends Shape>(
  session: ReflectionSession,
  reflection: Reflection,
  { transport, shape }: SpokenHow<Of>,
  services: Services,
  time: StartTime,
): Promise<SpokenAnswers[Of]> {
  const { host } = spokenIn(services)
  if (session.channel !== 'voice') {
    throw new PlatformError('validation', {
      message: 'This session is typed: there is no call to connect to.',
    })
  }
  if (session.status !== 'active') {
    throw new PlatformError('session_ended', {
      sessionId: session.sessionId,
      message: `This session is ${session.status}. Start another one.`,
    })
  }
  await time.within(() => refuseOutdated(session, services))
  await time.within(() => refuseReconnects(session, services))
  const { sessionId, personId } = session
  const reach = await time.within(() => currentReach(session, services))
  const isNarrowed = session.isNarrowed || reach !== undefined
  const plan = requirePlan(planAgain({ ...session, ...(isNarrowed && { isNarrowed }) }, reflection))
  const sources = extraSources({ ...plan, reflectionId: reflection.id, personId, sessionId, reach }, services)
  const conversation: Conversation = { sessionId, reflection, personId, plan, transport, sources }
  return RECONNECT[shape](
    conversation,
    { status: session.status, boundTo: session.providerConversationId },
    host,
    time,
  )
}

/** As it was settled at its start; of what the public may see, no more than is published now. */
function planAgain(session: ReflectionSession, reflection: Reflection): SessionPlan | PlanRefused {
  const { sessionAudience: audience } = session
  const namespaces = visibleNamespaces(session, undefined, reflection)
  if (namespaces.length > 0 || audience === 'private') {
    const part = partOfPublished({ audience, namespaces }, reflection)
    const actions = sessionActions({ ...session, audience })
    return { ...session, kind: 'planned', audience, actions, namespaces, ...part }
  }
  return {
    kind: 'refused',
    code: 'public_runtime_not_ready',
    message: 'Nothing that this session may tell of is published any more.',
    missing: ['nothing is published'],
  }
}

function spokenIn({ spoken }: Services): Spoken {
  if (spoken) return spoken
  throw new PlatformError('provider_unavailable', {
    message: 'This server has no voice provider. Start it with parley up, or configure one.',
  })
}

/** Throws what a plan was refused with. */
export function requirePlan(plan: SessionPlan | PlanRefused): SessionPlan {
  if (plan.kind === 'planned') return plan
  const { code, message, missing } = plan
  throw new PlatformError(code, { message, ...(missing && { missing: [...missing] }) })
}

/** How often a member connects to one call anew: more than any bad line asks for. */
const MOST_OF_MEMBER = 20

/** Counts one more connection of a session, whatever comes of it. Throws where there were as many as may be. */
async function refuseReconnects(
  { sessionId, shareLinkId }: ReflectionSession,
  { shareLinks, reflectionSessions }: Pick<Services, 'shareLinks' | 'reflectionSessions'>,
): Promise<void> {
  if (shareLinkId !== undefined) {
    const usage = await shareLinks.usage(shareLinkId, today())
    const decision = decideReconnect({ usage, now: Date.now() })
    if (decision.kind === 'refused') {
      const { message, retryAfterSeconds } = decision
      throw new PlatformError('rate_limited', { message, retryAfterSeconds })
    }
  }
  const most = shareLinkId === undefined ? MOST_OF_MEMBER : VISITOR_CAPS.reconnectsPerSession
  if (await reflectionSessions.takeReconnect(sessionId, most)) return
  throw new PlatformError('rate_limited', {
    sessionId,
    message: `This session was connected anew ${most} times, which is the most. It is not connected again: end it, and start another one.`,
  })
}

interface Recorded extends Omit<Conversation, 'reflection' | 'plan'> {
  readonly reflection: Reflection
  readonly title?: string | undefined
}

/** The session that a call is read, resumed and exported as. */
function recordOf(
  { sessionId, personId, title, ...conversation }: Recorded,
  services: Pick<Services, 'sessions' | 'agents' | 'defaultAgentId'>,
): ConversationRecord {
  const { sessions } = services
  let keeping: Promise<unknown> | undefined
  return {
    async keep(variables, plan, signal) {
      const agent = await snapshotOf({ ...conversation, plan }, variables, services, signal)
      const named = title === undefined ? {} : { title }
      const opening = { id: sessionId, ownerId: personId, agent, context: NOWHERE, ...named }
      keeping = sessions.start({ ...opening, channel: 'voice' }, signal)
      await keeping
    },

    async discard() {
      await keeping?.catch(() => undefined)
      await sessions.remove(sessionId).catch((failure: unknown) => {
        if (!(failure instanceof PlatformError && failure.code === 'session_not_found')) throw failure
      })
    },
  }
}

/** Who will answer where a call is gone on with in writing. */
async function snapshotOf(
  { reflection, plan, sources }: Pick<Recorded, 'reflection' | 'sources'> & Pick<Conversation, 'plan'>,
  variables: Readonly<Record<string, string>>,
  { agents, defaultAgentId }: Pick<Services, 'agents' | 'defaultAgentId'>,
  signal: AbortSignal,
): Promise<Agent> {
  const standing = agents.get(defaultAgentId)
  if (!standing)
    throw new PlatformError('agent_not_found', { message: `There is no agent ${defaultAgentId}.` })
  if (plan.mode === 'interview') return agentOfPack(interviewerPack(sha256), variables, standing)
  const read = await sources.promoted(signal).then(
    (artifacts) => ({ artifacts }),
    (failure: unknown) => ({ failure }),
  )
  const { pack } = packFor(plan, reflection, read)
  return narrowTools(agentOfPack(pack, variables, standing), plan.actions)
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
