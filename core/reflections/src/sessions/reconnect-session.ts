import { PlatformError, type Reflection, type Transport } from '@parley/contracts'
import { findCurrentReach } from '../access/session-role.ts'
import { visibleNamespaces } from '../access/visible-namespaces.ts'
import { listSessionActions } from '../access/session-access.ts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { VISITOR_CAPS, decideReconnect, createUsageQuery } from '../sharing/visitor-caps.ts'
import {
  type PlanRefused,
  type SessionPlan,
  NOTHING_PUBLISHED,
  findPublishedPart,
  requirePlan,
} from '../starting/plan-session.ts'
import { createPromptInputs } from '../starting/load-prompt-inputs.ts'
import {
  type CallClient,
  type CallResponses,
  reconnectVoiceConversation,
} from '../starting/start-voice-conversation.ts'
import type { StartTime } from '../starting/start-session.ts'
import { refuseOutdatedPrompt } from './enter-session.ts'
import { type ReflectionSessionsHost, requireVoice } from './sessions-host.ts'

interface ReconnectRequest<Client extends CallClient> {
  readonly row: ReflectionSession
  readonly reflection: Reflection
  readonly client: Client
  readonly transport: Transport
}

export async function reconnectSession<Client extends CallClient>(
  { row, reflection, client, transport }: ReconnectRequest<Client>,
  host: ReflectionSessionsHost,
  time: StartTime,
): Promise<CallResponses[Client]> {
  const spoken = requireVoice(host, time.wait)
  const { sessionId, personId, status, channel } = row
  if (channel !== 'voice') {
    throw new PlatformError('validation', {
      message: 'This session is typed: there is no call to connect to.',
    })
  }
  if (status !== 'active') {
    throw new PlatformError('session_ended', {
      sessionId,
      message: `This session is ${status}. Start another one.`,
    })
  }
  await time.run(() => refuseOutdatedPrompt({ row }, host))
  await time.run(() => takeReconnect(row, host))
  const reach = await time.run(() => findCurrentReach(row, host))
  const isNarrowed = row.isNarrowed || reach !== undefined
  const plan = requirePlan(planReconnect({ ...row, ...(isNarrowed && { isNarrowed }) }, reflection))
  const inputs = createPromptInputs(
    { ...plan, reflectionId: reflection.id, personId, sessionId, reach },
    host,
  )
  const conversation = { sessionId, reflection, personId, plan, transport, inputs }
  const binding = { status, boundTo: row.providerConversationId }
  return reconnectVoiceConversation(conversation, binding, client, spoken, time)
}

/** The plan of the session's start, with the namespaces that it may still read. */
function planReconnect(session: ReflectionSession, reflection: Reflection): SessionPlan | PlanRefused {
  const { sessionAudience: audience } = session
  const namespaces = visibleNamespaces(session, undefined, reflection)
  if (namespaces.length > 0 || audience === 'private') {
    const part = findPublishedPart({ audience, namespaces }, reflection)
    const actions = listSessionActions({ ...session, audience })
    return { ...session, kind: 'planned', audience, actions, namespaces, ...part }
  }
  return NOTHING_PUBLISHED
}

/** More often than any bad line needs. */
const MAX_RECONNECTS_OF_MEMBER = 20

/** Counts one more connection of a session, also if it then fails. Throws at the limit. */
async function takeReconnect(
  { sessionId, shareLinkId }: ReflectionSession,
  { shareLinks, sessionRows, now }: ReflectionSessionsHost,
): Promise<void> {
  if (shareLinkId !== undefined) {
    const at = now()
    const decision = decideReconnect({
      usage: await shareLinks.readUsage(shareLinkId, createUsageQuery(at)),
      now: at,
    })
    if (decision.kind === 'refused') {
      const { message, retryAfterSeconds } = decision
      throw new PlatformError('rate_limited', { message, retryAfterSeconds })
    }
  }
  const most = shareLinkId === undefined ? MAX_RECONNECTS_OF_MEMBER : VISITOR_CAPS.reconnectsPerSession
  if (await sessionRows.takeReconnect(sessionId, most)) return
  throw new PlatformError('rate_limited', {
    sessionId,
    message: `This session was reconnected ${most} times, the maximum. End it and start another one.`,
  })
}
