import { type Audience, PlatformError } from '@parley/contracts'
import type { AgentSessionRecord } from '@parley/engine'
import { currentReach, isBeyondReach, type ReflectionSession } from '@parley/reflections'
import type { Services } from '../services.ts'

type Host = Pick<Services, 'reflectionSessions' | 'transcripts' | 'voice' | 'logger'>

/** A call goes on as text, and is exported, only with what was said in it. Throws while that is not in yet. */
export async function refuseUnheard({ session }: AgentSessionRecord, host: Host): Promise<void> {
  if (session.channel !== 'voice') return
  const call = await host.reflectionSessions.find(session.id)
  if (call?.transcript !== 'pending') return
  // Whoever ended it connects no more; so where there was no call by then, there will be none.
  const isEnded = session.status === 'ended' || call.status !== 'active'
  if (isEnded && (await isWithoutCall(call, host))) return
  throw new PlatformError('transcript_pending', {
    sessionId: session.id,
    message: isEnded
      ? 'What was said in this call is not in yet. It comes within minutes.'
      : 'What was said in this call is not in yet. It comes soon after the call is over.',
  })
}

/** Throws where a session was told what its person reaches no more. */
export async function refuseBeyondReach(
  session: ReflectionSession | undefined,
  host: Pick<Services, 'reflections'>,
): Promise<void> {
  if (!session || !isBeyondReach(session, await currentReach(session, host))) return
  throw new PlatformError('session_ended', { sessionId: session.sessionId, message: BEYOND_REACH })
}

/** Nothing goes on by a prompt that holds what was unpublished or removed since, or what its person reaches no more. */
export async function refuseOutdated(
  session: ReflectionSession | undefined,
  host: Pick<Services, 'reflections'>,
): Promise<void> {
  await refuseBeyondReach(session, host)
  if (!session?.isOutdated) return
  const { sessionId, sessionAudience } = session
  throw new PlatformError('session_ended', { sessionId, message: OUTDATED[sessionAudience] })
}

const BEYOND_REACH =
  'This conversation used namespaces that you can no longer read. Start another one to continue.'

const OUTDATED: Readonly<Record<Audience, string>> = {
  public:
    'Something that this conversation could tell of is no longer published. Open the link again to start another one.',
  private: 'A source that this conversation could tell of was removed. Start another one to continue.',
}

const PATIENCE_MS = 3_000

/** Nothing is waited for any more where the provider knows of no call. */
async function isWithoutCall(
  { sessionId, providerConversationId }: ReflectionSession,
  { transcripts, voice, logger }: Host,
): Promise<boolean> {
  if (!voice || providerConversationId === undefined) return false
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    if (await voice.provider.readConversation(providerConversationId, signal)) return false
  } catch (err) {
    logger.warn({ err, sessionId }, 'it is not known whether there was a call')
    return false
  }
  await transcripts.giveUp({ sessionId, providerConversationId }, { boundBefore: new Date().toISOString() })
  return true
}
