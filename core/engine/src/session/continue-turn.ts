import { type CallId, PlatformError, type SessionId, type SessionMessage } from '@parley/contracts'
import { checkInput } from '../context/agent-input.ts'
import { deInlineMedia } from '../media/de-inline-media.ts'
import type { AgentSessionRecord, Lease, OpenedTurn, TurnOpening } from '../ports/session-store.ts'
import { createMask } from '../tools/mask-secrets.ts'
import { BUDGET_CALL } from '../turn/ask-model.ts'
import type { AgentRunner } from './agent-runner.ts'
import { isBusy } from './turn-recorder.ts'
import {
  type CachedSession,
  type SessionCache,
  createSessionFrame,
  createCachedSession,
} from './session-cache.ts'
import { readPast } from './read-past.ts'
import type { PersonDecision, PersonMessage, SendOptions, SentMessage } from './requests.ts'
import { readApprovalRequest } from './read-approval-request.ts'
import { type StoredTurn, restoreTurn } from './restore-turn.ts'
import { findSettled, refuseEnded, settleInterrupted } from './settle-turn.ts'
import { type SessionsHost, type FixedSession, findAvailableModels } from './turn-host.ts'

/** How many event numbers a turn reserves when it opens. */
const RESERVED_AT_OPENING = 1_024

/** The three ways to open a turn: a new message, resuming an unfinished turn, a person's decision. */
export function createTurnOpenings(host: SessionsHost, cache: SessionCache, turns: AgentRunner) {
  const openingHost: OpeningHost = { host, cache, turns, mask: createMask(host) }
  return {
    send: (sessionId: SessionId, input: string | PersonMessage, options: SendOptions = {}) =>
      sendMessage(openingHost, sessionId, input, options),
    continue: (sessionId: SessionId) => continueTurn(openingHost, sessionId),
    decide: (sessionId: SessionId, callId: CallId, decision: PersonDecision) =>
      decideCall(openingHost, sessionId, callId, decision),
  }
}

interface OpeningHost {
  readonly host: SessionsHost
  readonly cache: SessionCache
  readonly turns: AgentRunner
  readonly mask: (text: string) => string
}

async function sendMessage(
  { host, cache, turns, mask }: OpeningHost,
  sessionId: SessionId,
  input: string | PersonMessage,
  { idempotencyKey }: SendOptions,
): Promise<SentMessage> {
  const { store, clock, ids } = host
  const { text: unmasked, media: attached } = typeof input === 'string' ? { text: input, media: [] } : input
  const text = mask(unmasked)
  const before =
    cache.get(sessionId) ??
    createCachedSession(createSessionFrame((await findRecord(sessionId, host)).session))
  const { session } = before
  findAvailableModels(session.agentSnapshot, host)
  checkInput(session.agentSnapshot, text)
  const parts = [
    { type: 'text' as const, text },
    ...attached.map((item) => ({ type: 'inline_media' as const, ...item })),
  ]
  const { content, media } = deInlineMedia(parts, store)
  const earlier = await findRepeatedSend(sessionId, idempotencyKey, content, host)
  if (earlier) return earlier

  const turnId = ids.turnId()
  const timestamp = new Date(clock.now()).toISOString()
  const message = { id: ids.messageId(), content, timestamp }
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  const opening: TurnOpening = {
    sessionId,
    turnId,
    question: { kind: 'new', message, media, title: createSessionTitle(text), ...key },
    event: { timestamp, body: { type: 'session:turn_started', turnId } },
    reserve: RESERVED_AT_OPENING,
  }
  const lease = await beginTurn(opening, host).catch(async (failure: unknown) => {
    // Of two simultaneous requests with one key, the second gets the first's turn.
    const first = isBusy(failure)
      ? await findRepeatedSend(sessionId, idempotencyKey, content, host)
      : undefined
    if (!first) throw failure
    return first
  })
  if (!('epoch' in lease)) return lease
  const question: SessionMessage = {
    ...message,
    sessionId,
    turnId,
    role: 'user',
    sequenceNumber: lease.lastMessage,
  }
  const last = question.sequenceNumber - 1
  const readMissing = async () =>
    createCachedSession(before, last, await readPast(sessionId, last, host, { known: before }))
  return turns.start({
    lease,
    session,
    first: {
      kind: 'stored',
      event: { type: 'session:turn_started', turnId, message: question },
      timestamp,
    },
    readBefore: async () => (before.lastMessage === last ? before : readMissing()),
    question,
  })
}

async function continueTurn({ host, turns }: OpeningHost, sessionId: SessionId): Promise<SentMessage> {
  const { store, clock, ids } = host
  const record = await findRecord(sessionId, host)
  const { session } = record
  refuseEnded(record)
  findAvailableModels(session.agentSnapshot, host)
  if (record.openTurn?.state === 'running') throw createBusyError(record)
  if (record.openTurn?.state === 'waiting') throw createWaitingError(sessionId)
  const stored = await restoreTurn(store, sessionId)
  if (!stored || stored.isAnswered) throw createNothingToResumeError(sessionId)

  const { question, later, transcript, unanswered } = stored
  const turnId = ids.turnId()
  const timestamp = new Date(clock.now()).toISOString()
  const started = { type: 'session:turn_started', turnId, continued: true } as const
  const opening: TurnOpening = {
    sessionId,
    turnId,
    question: {
      kind: 'stored',
      sequenceNumber: question.sequenceNumber,
      messageCount: later.at(-1)?.sequenceNumber ?? question.sequenceNumber,
    },
    event: { timestamp, body: started },
    reserve: RESERVED_AT_OPENING,
  }
  const lease = await beginTurn(opening, host)
  return turns.start({
    lease,
    session,
    first: { kind: 'stored', event: { ...started, message: question }, timestamp },
    readBefore: () => readBefore(session, stored, host),
    question,
    transcript,
    resumption: { kind: 'interrupted', callIds: new Set(unanswered.map(({ id }) => id)) },
  })
}

async function decideCall(
  { host, turns }: OpeningHost,
  sessionId: SessionId,
  callId: CallId,
  { decision, by, inputHash, unattended }: PersonDecision,
): Promise<SentMessage> {
  const { store } = host
  const found = await findRecord(sessionId, host)
  const { session, openTurn, lastSequence } = found
  findAvailableModels(session.agentSnapshot, host)
  const stored = await restoreTurn(store, sessionId)
  if (openTurn?.state !== 'waiting' || !stored || findWaitingCall(stored) !== callId)
    throw createNotPendingError(callId)
  const request = await readApprovalRequest(found, store)
  if (inputHash !== undefined && inputHash !== request?.inputHash) throw createChangedError(callId)
  if (decision === 'allow_session' && !request?.grant) throw createApproveEachTimeError(request?.tool)

  const { turnId } = openTurn
  const lease = await store.takeOver({
    sessionId,
    turnId,
    state: 'waiting',
    reserve: RESERVED_AT_OPENING,
    // Another process may have answered since, and the turn may wait again, with another call.
    lastSequence,
  })
  if (!lease) throw createNotPendingError(callId)
  const { question, transcript } = stored
  return turns.start({
    lease,
    session,
    first: {
      kind: 'new',
      event: {
        type: 'agent:approval_answered',
        turnId,
        callId,
        decision,
        ...(by !== undefined && { by }),
        ...(unattended && { unattended }),
      },
      ...(decision === 'allow_session' && { grant: request?.grant }),
    },
    readBefore: () => readBefore(session, stored, host),
    question,
    transcript,
    ...(request?.usage && { usage: request.usage }),
    resumption:
      stored.unanswered.length === 0
        ? { kind: 'budget-decided', decision }
        : { kind: 'decided', callId, answer: { decision, inputHash: request?.inputHash, unattended } },
  })
}

async function findRecord(sessionId: SessionId, { store }: SessionsHost): Promise<AgentSessionRecord> {
  const record = await findSettled(sessionId, store)
  if (!record) throw new PlatformError('session_not_found', { sessionId })
  return record
}

/** The session before the question of this turn. */
async function readBefore(
  session: FixedSession,
  { question, later }: StoredTurn,
  host: SessionsHost,
): Promise<CachedSession> {
  const last = question.sequenceNumber - 1
  return createCachedSession(
    createSessionFrame(session),
    last,
    await readPast(session.id, last, host, { later }),
  )
}

/** Opens a turn. If a dead process left a turn open, ends that one first. */
async function beginTurn(opening: TurnOpening, host: SessionsHost): Promise<Lease> {
  try {
    return await host.store.beginTurn(opening)
  } catch (failure) {
    if (!isBusy(failure)) throw failure
    const { sessionId } = opening
    const openTurn = await settleInterrupted(sessionId, host)
    if (openTurn?.state === 'waiting') throw createWaitingError(sessionId)
    if (openTurn) throw failure
    return host.store.beginTurn(opening)
  }
}

/** The turn opened with this key. If its process died, ends it: a client that repeats its request waits for the end. */
async function findRepeatedSend(
  sessionId: SessionId,
  key: string | undefined,
  content: SessionMessage['content'],
  host: SessionsHost,
): Promise<SentMessage | undefined> {
  const opened = key === undefined ? undefined : await host.store.findOpenedTurn(sessionId, key)
  if (!opened) return undefined
  const sent = toRepeatedSend(opened, content)
  await settleInterrupted(sessionId, host)
  return sent
}

/** The call that waits in a turn, or the budget if there is none. */
const findWaitingCall = ({ unanswered }: StoredTurn): CallId => unanswered[0]?.id ?? BUDGET_CALL

const createBusyError = ({ session, openTurn }: AgentSessionRecord) =>
  new PlatformError('session_busy', { sessionId: session.id, ...(openTurn && { turnId: openTurn.turnId }) })

const createWaitingError = (sessionId: SessionId) =>
  new PlatformError('session_busy', {
    sessionId,
    message: 'A call is waiting for approval: allow or refuse it, or cancel the turn.',
  })

const createNothingToResumeError = (sessionId: SessionId) =>
  new PlatformError('nothing_to_continue', {
    sessionId,
    message: 'The last turn of this session is complete; there is nothing to resume.',
  })

const createNotPendingError = (callId: CallId) =>
  new PlatformError('approval_not_pending', {
    callId,
    message: `No call ${callId} is waiting for approval in this session.`,
  })

const createChangedError = (callId: CallId) =>
  new PlatformError('approval_not_pending', {
    callId,
    message: `The call ${callId} is waiting, but its request changed since (its inputHash differs). Read it again, then answer.`,
  })

const createApproveEachTimeError = (tool = 'This call') =>
  new PlatformError('validation', {
    message: `${tool} needs approval each time: answer "allow" or "refuse".`,
  })

function toRepeatedSend(
  { turnId, message, eventSequence }: OpenedTurn,
  content: SessionMessage['content'],
): SentMessage {
  if (JSON.stringify(toComparableParts(message.content)) === JSON.stringify(toComparableParts(content)))
    return { turnId, firstSequence: eventSequence }
  throw new PlatformError('idempotency_conflict', {
    message: 'This Idempotency-Key was used for another message.',
  })
}

/** The parts to compare, regardless of key order; media are equal if their bytes are. */
const toComparableParts = (content: SessionMessage['content']) =>
  content.map((part) =>
    part.type === 'media' ? part.handle : part.type === 'text' ? [part.text] : part.type,
  )

const MAX_TITLE_LENGTH = 80

/** A session's default title is the first line of its first message. */
export function createSessionTitle(text: string): string {
  const line =
    text
      .toWellFormed()
      .trim()
      .split('\n', 1)[0]
      ?.replace(/[\s\p{Cc}]+/gu, ' ')
      .trim() ?? ''
  if (line.length <= MAX_TITLE_LENGTH) return line
  const cut = line.slice(0, MAX_TITLE_LENGTH - 1)
  const atWord = cut.slice(0, Math.max(0, cut.lastIndexOf(' '))).trimEnd()
  return `${(atWord || cut).replace(/[\uD800-\uDBFF]$/, '')}…`
}
