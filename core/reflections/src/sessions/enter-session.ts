import { type Audience, type PersonId, PlatformError, type Role, type SessionId } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '@parley/engine'
import { type SessionRight, mayEnter, mayEnterSession } from '../access/may-enter.ts'
import {
  type ReflectionReader,
  type SessionRoleHost,
  findCurrentReach,
  isBeyondReach,
} from '../access/session-role.ts'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { TranscriptStore } from '../ports/transcript-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { OffRecord } from './off-record.ts'
import type { WarningLog } from './sessions-host.ts'

/** A person who wants to read, continue or end a session. */
export interface SessionCaller {
  readonly personId: PersonId
  /** Their role on the server. */
  readonly role: Role
}

export interface SessionAccessHost extends SessionRoleHost, PendingCallHost {
  readonly store: Pick<SessionStore, 'find'>
  readonly offRecord: Pick<OffRecord, 'holds'>
  readonly sessionRows: Pick<ReflectionSessionStore, 'find'>
}

export interface EnteredSession extends AgentSessionRecord {
  /** Set for a session with a reflection. */
  readonly row?: ReflectionSession
  /** For a session with a reflection: whether the caller still has the access that they entered with. */
  readonly mayStay?: () => Promise<boolean>
}

/** What the caller will do with the session. */
type SessionUse = 'read' | 'export' | 'write' | 'send' | 'resume' | 'fork' | 'remove'

interface Gate {
  readonly access: SessionRight
  /** Needs what an off-record session does not store. */
  readonly isOnRecordOnly?: true
  /** Each throws if it refuses the session. */
  readonly checks: readonly ((session: EnteredSession, host: SessionAccessHost) => Promise<void>)[]
}

const GATES: Readonly<Record<SessionUse, Gate>> = {
  read: { access: 'read', checks: [] },
  export: { access: 'read', isOnRecordOnly: true, checks: [refuseWithoutTranscript] },
  write: { access: 'write', checks: [] },
  send: { access: 'write', checks: [refuseWithoutTranscript, refuseOutdatedPrompt] },
  resume: {
    access: 'write',
    isOnRecordOnly: true,
    checks: [refuseWithoutTranscript, refuseOutdatedPrompt],
  },
  fork: {
    access: 'write',
    isOnRecordOnly: true,
    checks: [refuseWithoutTranscript, ({ row }, host) => refuseBeyondReach(row, host)],
  },
  remove: { access: 'end', checks: [] },
}

/** The session, if the caller has the access that this use needs; otherwise it does not exist for them. */
export async function enterSession(
  caller: SessionCaller,
  sessionId: SessionId,
  use: SessionUse,
  host: SessionAccessHost,
): Promise<EnteredSession> {
  const { access, isOnRecordOnly, checks } = GATES[use]
  const found = await findSession(sessionId, host)
  if (isOnRecordOnly) await refuseOffRecord(caller, sessionId, found, access, host)
  const entered = await checkAccess(caller, sessionId, found, access, host)
  for (const check of checks) await check(entered, host)
  return entered
}

/** A session that the caller may end. Off the record it may have only its row here: a call, or a session of another process. */
export async function enterToEnd(
  caller: SessionCaller,
  sessionId: SessionId,
  host: SessionAccessHost,
): Promise<EnteredSession | { readonly row: ReflectionSession; readonly session?: undefined }> {
  const found = await findSession(sessionId, host)
  const { record, row } = found
  if (!record && row?.ingestion === 'off-record' && (await mayEnterSession(caller, row, 'end', host))) {
    return { row }
  }
  return checkAccess(caller, sessionId, found, 'end', host)
}

/** A call that the caller may reconnect. An off-record call has only its row, so just that is read. */
export async function enterToReconnect(
  caller: SessionCaller,
  sessionId: SessionId,
  host: SessionRoleHost & Pick<SessionAccessHost, 'sessionRows'>,
) {
  const row = await host.sessionRows.find(sessionId)
  const mayWrite = row && (await mayEnterSession(caller, row, 'write', host))
  const reflection = mayWrite && (await host.reflections.find(row.reflectionId))
  if (reflection) return { row, reflection }
  throw new PlatformError('session_not_found', {
    sessionId,
    message: `You have no session ${sessionId}.`,
  })
}

interface FoundSession {
  readonly record: AgentSessionRecord | undefined
  readonly row: ReflectionSession | undefined
}

async function findSession(
  sessionId: SessionId,
  { store, sessionRows }: SessionAccessHost,
): Promise<FoundSession> {
  const [record, row] = await Promise.all([store.find(sessionId), sessionRows.find(sessionId)])
  return { record, row }
}

async function checkAccess(
  caller: SessionCaller,
  sessionId: SessionId,
  { record, row }: FoundSession,
  access: SessionRight,
  host: SessionAccessHost,
): Promise<EnteredSession> {
  const { offRecord } = host
  if (!record) throw createNoSessionError(sessionId)
  if (row) {
    const mayStay = () => mayEnterSession(caller, row, access, host)
    if (await mayStay()) return { ...record, row, mayStay }
    throw createNoSessionError(sessionId)
  }
  const isOffRecord = offRecord.holds(sessionId, 'agent')
  const withAgent = { personId: record.session.ownerId, partner: 'agent' as const, isOffRecord }
  // An off-record session of a removed reflection may still be in the memory of this process.
  if (mayEnter(caller, withAgent, access) && !offRecord.holds(sessionId, 'reflection')) return record
  throw createNoSessionError(sessionId)
}

export const createNoSessionError = (sessionId: SessionId) =>
  new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId}.` })

/**
 * Throws if the session is off the record, in any process. For callers without access it does nothing, so that the next
 * check says "not found".
 */
async function refuseOffRecord(
  caller: SessionCaller,
  sessionId: SessionId,
  { record, row }: FoundSession,
  access: SessionRight,
  host: SessionAccessHost,
): Promise<void> {
  const isRefused = host.offRecord.holds(sessionId, 'agent')
    ? record?.session.ownerId === caller.personId
    : row?.ingestion === 'off-record' && (await mayEnterSession(caller, row, access, host))
  if (!isRefused) return
  throw new PlatformError('off_record', {
    sessionId,
    message: 'This session is off the record: nothing is stored that could be resumed, forked or exported.',
  })
}

interface ReachHost {
  readonly reflections: Pick<ReflectionReader, 'findMember'>
}

/** Throws if the prompt of a session contains namespaces that its person can no longer read. */
async function refuseBeyondReach(row: ReflectionSession | undefined, host: ReachHost): Promise<void> {
  if (!row || !isBeyondReach(row, await findCurrentReach(row, host))) return
  throw new PlatformError('session_ended', { sessionId: row.sessionId, message: BEYOND_REACH })
}

/** Throws if the prompt of a session contains unpublished or removed sources, or more than its person may read. */
export async function refuseOutdatedPrompt(
  { row }: { readonly row?: ReflectionSession },
  host: ReachHost,
): Promise<void> {
  await refuseBeyondReach(row, host)
  if (!row?.isOutdated) return
  const { sessionId, sessionAudience } = row
  throw new PlatformError('session_ended', { sessionId, message: OUTDATED[sessionAudience] })
}

const BEYOND_REACH =
  'This conversation used folders that you can no longer read. Start another one to continue.'

const OUTDATED: Readonly<Record<Audience, string>> = {
  public:
    'Content that this conversation used is no longer public. Open the link again to start another one.',
  private: 'A source that this conversation used was removed. Start another one to continue.',
}

interface PendingCallHost {
  readonly transcripts: Pick<TranscriptStore, 'giveUp'>
  readonly voice?: { readonly provider: Pick<VoiceProvider, 'readConversation'> } | undefined
  readonly logger: WarningLog
  readonly now: () => number
  readonly deadline: (ms: number) => AbortSignal
}

/** A call is continued in writing, forked or exported only with its transcript. Throws while that is missing. */
async function refuseWithoutTranscript(
  { session: { id, channel, status }, row: call }: EnteredSession,
  host: PendingCallHost,
): Promise<void> {
  if (channel !== 'voice' || call?.transcript !== 'pending') return
  // Nobody can connect to an ended session. If it has no call now, it will never have one.
  const isEnded = status === 'ended' || call.status !== 'active'
  if (isEnded && (await giveUpUnlessCalled(call, host))) return
  throw new PlatformError('transcript_pending', {
    sessionId: id,
    message: isEnded
      ? 'The transcript of this call is not ready yet. It arrives within minutes.'
      : 'The transcript of this call is not ready yet. It arrives soon after the call ends.',
  })
}

const READ_CALL_MS = 3_000

/** Stops waiting for the transcript, and ends the session, if the provider knows no call. True if it did. */
async function giveUpUnlessCalled(
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
