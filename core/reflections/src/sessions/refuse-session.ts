import { type AgentSession, type Audience, PlatformError } from '@parley/contracts'
import { findCurrentReach, isBeyondReach, type ReflectionReader } from '../access/session-role.ts'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { TranscriptStore } from '../ports/transcript-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { WarningLog } from './sessions-host.ts'

interface ReachHost {
  readonly reflections: Pick<ReflectionReader, 'findMember'>
}

/** Throws if the prompt of a session contains namespaces that its person can no longer read. */
export async function refuseBeyondReach(
  session: ReflectionSession | undefined,
  host: ReachHost,
): Promise<void> {
  if (!session || !isBeyondReach(session, await findCurrentReach(session, host))) return
  throw new PlatformError('session_ended', { sessionId: session.sessionId, message: BEYOND_REACH })
}

/** Throws if the prompt of a session contains unpublished or removed sources, or more than its person may read. */
export async function refuseOutdated(session: ReflectionSession | undefined, host: ReachHost): Promise<void> {
  await refuseBeyondReach(session, host)
  if (!session?.isOutdated) return
  const { sessionId, sessionAudience } = session
  throw new PlatformError('session_ended', { sessionId, message: OUTDATED[sessionAudience] })
}

const BEYOND_REACH =
  'This conversation used namespaces that you can no longer read. Start another one to continue.'

const OUTDATED: Readonly<Record<Audience, string>> = {
  public:
    'Content that this conversation used is no longer public. Open the link again to start another one.',
  private: 'A source that this conversation used was removed. Start another one to continue.',
}

interface PendingCallHost {
  readonly sessionRows: Pick<ReflectionSessionStore, 'find'>
  readonly transcripts: Pick<TranscriptStore, 'giveUp'>
  readonly voice?: { readonly provider: Pick<VoiceProvider, 'readConversation'> } | undefined
  readonly logger: WarningLog
  readonly now: () => number
  readonly deadline: (ms: number) => AbortSignal
}

/** A call is continued in writing, forked or exported only with its transcript. Throws while that is missing. */
export async function refuseWithoutTranscript(
  { id, channel, status }: Pick<AgentSession, 'id' | 'channel' | 'status'>,
  host: PendingCallHost,
): Promise<void> {
  if (channel !== 'voice') return
  const call = await host.sessionRows.find(id)
  if (call?.transcript !== 'pending') return
  // Nobody can connect to an ended session. If it has no call now, it will never have one.
  const isEnded = status === 'ended' || call.status !== 'active'
  if (isEnded && (await hadNoCall(call, host))) return
  throw new PlatformError('transcript_pending', {
    sessionId: id,
    message: isEnded
      ? 'The transcript of this call is not ready yet. It arrives within minutes.'
      : 'The transcript of this call is not ready yet. It arrives soon after the call ends.',
  })
}

const READ_CALL_MS = 3_000

/** Stops waiting for the transcript if the provider knows no call. */
async function hadNoCall(
  { sessionId, providerConversationId }: ReflectionSession,
  { transcripts, voice, logger, now, deadline }: PendingCallHost,
): Promise<boolean> {
  if (!voice || providerConversationId === undefined) return false
  try {
    if (await voice.provider.readConversation(providerConversationId, deadline(READ_CALL_MS))) return false
  } catch (err) {
    logger.warn({ err, sessionId }, 'could not ask the provider whether there was a call')
    return false
  }
  await transcripts.giveUp(
    { sessionId, providerConversationId },
    { boundBefore: new Date(now()).toISOString() },
  )
  return true
}
