import {
  type MobileSessionResponse,
  PlatformError,
  type Reflection,
  type Transport,
  type VoiceSessionResponse,
} from '@parley/contracts'
import {
  type Bound,
  type Conversation,
  type ConversationOpening,
  partOfPublished,
  type PlanRefused,
  planSession,
  reconnectMobileConversation,
  reconnectVoiceConversation,
  type ReflectionSession,
  sessionActions,
  type SessionPlan,
  startMobileConversation,
  type StartingHost,
  type StartTime,
  startVoiceConversation,
} from '@parley/reflections'
import type { Services } from '../services.ts'
import { extraSources } from './extra-sources.ts'
import { recordOf } from './record-of.ts'
import { refuseReconnects } from './refuse-reconnects.ts'
import { refuseOutdated } from './refuse-unheard.ts'
import { reachOf } from './standing-of.ts'
import type { Spoken } from './spoken.ts'
import type { StartRequest } from './start-request.ts'

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
  const reach = await time.within(() => reachOf(session, services))
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
  const isSeen = ({ name, isPublished }: Reflection['namespaces'][number]) =>
    session.namespaces.includes(name) && (audience === 'private' || isPublished)
  const namespaces = reflection.namespaces.filter(isSeen).map(({ name }) => name)
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
