import {
  type Agent,
  type AgentSession,
  type CallId,
  type SessionEvent,
  type SessionId,
  type SessionMessage,
  type ShortenedSession,
  type TurnId,
} from '@parley/contracts'
import { checkInput } from '../context/agent-input.ts'
import { readEvents } from '../events/read-events.ts'
import { type ExportedAgent, type ExportedSession, exportSessionYaml } from '../export/export-session.ts'
import { deInlineMedia } from '../media/de-inline-media.ts'
import type { Lease, NewTurn } from '../ports/session-store.ts'
import { createMask, maskModel } from '../tools/mask-secrets.ts'
import { type SessionProcess, createAgentRunner } from './agent-runner.ts'
import { RESERVED_AT_OPENING, continueTurn, resumeWithDecision } from './continue-turn.ts'
import { settleRepeatedSend } from './settle-repeated-send.ts'
import { readPast } from './read-past.ts'
import type { NewSession, PersonDecision, PersonMessage, SendOptions, SentMessage } from './requests.ts'
import { createCachedSession, createSessionCache, createSessionBase } from './session-cache.ts'
import { type SessionsHost, requireModel } from './sessions-host.ts'
import {
  beginAfterSettling,
  requireNotEnded,
  requireSettled,
  settleSession,
  settleTurn,
} from './settle-turn.ts'
import { compactSession, recordSessionEvent, trimSession } from './shorten-session.ts'
import { createSessionTitle, forkSession, refuseSecrets, startSession } from './start-session.ts'
import { isBusy } from './turn-recorder.ts'

/** Starts, sends to, cancels and reads sessions: the interface for all apps. */
export interface Sessions {
  /** Refuses an agent whose model is not available. An abort stores nothing. */
  start(request: NewSession, signal?: AbortSignal): Promise<AgentSession>
  /** Starts a new session of another agent with the same past. */
  fork(sessionId: SessionId, request: Pick<NewSession, 'id' | 'ownerId' | 'agent'>): Promise<AgentSession>
  /** Resolves once the message is stored; the turn runs in the background. */
  send(sessionId: SessionId, message: string | PersonMessage, options?: SendOptions): Promise<SentMessage>
  /** Continues the last turn after its last stored step, if it has no answer. */
  continue(sessionId: SessionId): Promise<SentMessage>
  /** Applies a person's decision on a waiting tool call; the turn resumes in this process. */
  decide(sessionId: SessionId, callId: CallId, decision: PersonDecision): Promise<SentMessage>
  /** Cancels the open turn, in any process; its text is kept. False if none is open. */
  cancel(sessionId: SessionId): Promise<boolean>
  /** Cancels every turn of this process and waits until that is stored, before the process exits. */
  cancelAll(): Promise<void>
  /** Ends the open turn of a session if its process died, so that it can be continued. Throws if the session has ended. */
  settle(sessionId: SessionId): Promise<void>
  /** Ends turns whose process was dead at this call and the previous one; returns their number. */
  settleAllInterrupted(): Promise<number>
  /** Replaces the past by a summary, for the model; the messages stay stored. */
  compact(sessionId: SessionId): Promise<ShortenedSession>
  /** Sends the model only the last `keep` messages, in whole turns; the messages stay stored. */
  trim(sessionId: SessionId, keep: number): Promise<ShortenedSession>
  /** The session's current state as a workflow file, with secrets masked. */
  exportSession(sessionId: SessionId, agent?: ExportedAgent): Promise<ExportedSession>
  /** Records that the session was exported, if no turn is open. */
  recordExport(sessionId: SessionId): Promise<void>
  rename(sessionId: SessionId, title: string): Promise<void>
  /** Ends the session: no more turns, but it stays readable. */
  end(sessionId: SessionId): Promise<void>
  /** Deletes the session with all its content. */
  remove(sessionId: SessionId): Promise<void>
  streamEvents(reading: {
    sessionId: SessionId
    after: number
    signal: AbortSignal
  }): AsyncGenerator<SessionEvent>
}

/** How many turns one call ends; the next call ends the rest. */
const SETTLED_AT_ONCE = 100

export function createSessions(plainHost: SessionsHost): Sessions {
  const { secrets, getModel } = plainHost
  const host = secrets
    ? { ...plainHost, getModel: (agent: Agent) => maskModel(getModel(agent), secrets) }
    : plainHost
  const mask = createMask(host)
  const { store } = host
  const cache = createSessionCache()
  const runner = createAgentRunner(host, cache)
  const ownProcess: SessionProcess = { ...host, mask, cache, runner }
  // A process may lose its connection for a moment, so a turn is ended only if it is found twice.
  let suspects = new Set<TurnId>()

  return {
    async start(request, signal) {
      const session = await startSession(request, host, [], signal)
      cache.remember(session.id, createCachedSession(createSessionBase(session)))
      return session
    },

    fork: (sessionId, request) => forkSession(sessionId, request, host),
    send: (sessionId, message, options = {}) => sendMessage(sessionId, message, options, ownProcess),
    continue: (sessionId) => continueTurn(sessionId, ownProcess),
    decide: (sessionId, callId, decision) => resumeWithDecision(sessionId, callId, decision, ownProcess),

    async cancel(sessionId) {
      if (runner.abort(sessionId)) return true
      const open = (await store.find(sessionId))?.openTurn
      if (!open) return false
      const { turnId, state } = open
      return state === 'running'
        ? store.requestCancel({ sessionId, turnId })
        : settleTurn({ sessionId, turnId, state }, 'cancelled', host)
    },

    cancelAll: () => runner.abortAll(),

    async settle(sessionId) {
      requireNotEnded(await store.find(sessionId))
      await settleSession(sessionId, host)
    },

    async settleAllInterrupted() {
      const found = await store.listInterrupted(SETTLED_AT_ONCE)
      const dead = found.filter(({ turnId }) => suspects.has(turnId))
      suspects = new Set(found.map(({ turnId }) => turnId))
      const settled = await Promise.all(
        dead.map((turn) => settleTurn({ ...turn, state: 'interrupted' }, 'interrupted', host)),
      )
      await host.eventBus.recheck()
      return settled.filter(Boolean).length
    },

    async compact(sessionId) {
      cache.forget(sessionId)
      return compactSession(sessionId, host)
    },

    async trim(sessionId, keep) {
      cache.forget(sessionId)
      return trimSession(sessionId, keep, host)
    },

    async rename(sessionId, title) {
      refuseSecrets({ title })
      await store.rename(sessionId, mask(title))
    },

    exportSession: (sessionId, agent) => exportSessionYaml(store, sessionId, { mask, agent }),

    async recordExport(sessionId) {
      await recordSessionEvent(sessionId, { type: 'session:exported', format: 'relavium.yaml' }, host).catch(
        (failure: unknown) => {
          if (!isBusy(failure)) throw failure
        },
      )
    },

    async end(sessionId) {
      await settleSession(sessionId, host)
      await store.end(sessionId, new Date(host.clock.now()).toISOString())
      cache.forget(sessionId)
    },

    async remove(sessionId) {
      await settleSession(sessionId, host)
      await store.remove(sessionId)
      cache.forget(sessionId)
    },

    streamEvents: (reading) => readEvents(reading, host),
  }
}

/** Stores the person's message, and starts its turn in this process. */
async function sendMessage(
  sessionId: SessionId,
  input: string | PersonMessage,
  { idempotencyKey }: SendOptions,
  host: SessionProcess,
): Promise<SentMessage> {
  const { store, clock, ids, cache, runner, mask } = host
  const { text: unmasked, media: attached } = typeof input === 'string' ? { text: input, media: [] } : input
  const text = mask(unmasked)
  const before =
    cache.get(sessionId) ??
    createCachedSession(createSessionBase((await requireSettled(sessionId, store)).session))
  const { session } = before
  requireModel(session.agentSnapshot, host)
  checkInput(session.agentSnapshot, text)
  const parts = [
    { type: 'text' as const, text },
    ...attached.map((item) => ({ type: 'inline_media' as const, ...item })),
  ]
  const { content, media } = deInlineMedia(parts, store)
  const repeated = await settleRepeatedSend(sessionId, idempotencyKey, content, host)
  if (repeated) return repeated

  const turnId = ids.turnId()
  const timestamp = new Date(clock.now()).toISOString()
  const message = { id: ids.messageId(), content, timestamp }
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  const turn: NewTurn = {
    sessionId,
    turnId,
    question: { kind: 'new', message, media, title: createSessionTitle(text), ...key },
    event: { timestamp, body: { type: 'session:turn_started', turnId } },
    reserve: RESERVED_AT_OPENING,
  }
  let lease: Lease
  try {
    lease = await beginAfterSettling(turn, host)
  } catch (failure) {
    // Of two simultaneous requests with one key, the second gets the first's turn.
    const first = isBusy(failure)
      ? await settleRepeatedSend(sessionId, idempotencyKey, content, host)
      : undefined
    if (first) return first
    throw failure
  }
  const question: SessionMessage = {
    ...message,
    sessionId,
    turnId,
    role: 'user',
    sequenceNumber: lease.lastMessageNumber,
  }
  const last = question.sequenceNumber - 1
  const readMissing = async () =>
    createCachedSession(before, last, await readPast(sessionId, last, host, { known: before }))
  return runner.start({
    lease,
    session,
    first: {
      kind: 'stored',
      event: { type: 'session:turn_started', turnId, message: question },
      timestamp,
    },
    readBefore: async () => (before.lastMessageNumber === last ? before : readMissing()),
    question,
  })
}
