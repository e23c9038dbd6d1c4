import {
  type Agent,
  type AgentSession,
  type CallId,
  PlatformError,
  SessionContextSchema,
  type SessionEvent,
  type SessionId,
  type SessionMessage,
  type ShortenedSession,
  type TurnId,
  findSecret,
  findSecretsIn,
  formatIssue,
  writePath,
} from '@parley/contracts'
import { checkAgentInput, checkInput, checkPlaceholders } from '../context/agent-input.ts'
import { createStamper } from '../events/event-stamper.ts'
import { readEvents } from '../events/read-events.ts'
import { toStoredEvent } from '../events/stored-event.ts'
import { type ExportedAgent, type ExportedSession, exportSessionYaml } from '../export/export-session.ts'
import { createMask, maskValue, maskModel } from '../tools/mask-secrets.ts'
import { createAgentRunner } from './agent-runner.ts'
import { createSessionCache, createSessionFrame, createCachedSession } from './session-cache.ts'
import { createTurnOpenings } from './open-turns.ts'
import { readPastTurns } from './read-past.ts'
import type { PersonDecision, NewSession, PersonMessage, SendOptions, SentMessage } from './requests.ts'
import { refuseEnded, settleInterrupted, settleTurn } from './settle-turn.ts'
import { compactSession, recordSessionEvent, trimSession } from './shorten-session.ts'
import { type SessionsHost, resolveModels } from './turn-host.ts'
import { isBusy } from './turn-recorder.ts'

/** Starts, sends to, cancels and reads sessions: the interface for all apps. */
export interface Sessions {
  /** Refuses an agent whose model is not available. An abort stores nothing. */
  start(opening: NewSession, signal?: AbortSignal): Promise<AgentSession>
  /** Starts a new session of another agent with the same past. */
  fork(sessionId: SessionId, opening: Pick<NewSession, 'id' | 'ownerId' | 'agent'>): Promise<AgentSession>
  /** Resolves once the message is stored; the turn runs in the background. */
  send(sessionId: SessionId, message: string | PersonMessage, options?: SendOptions): Promise<SentMessage>
  /** Resumes the last turn from its last stored step, if it has no answer. */
  continue(sessionId: SessionId): Promise<SentMessage>
  /** Applies a person's decision on a waiting call; the turn continues in this process. */
  decide(sessionId: SessionId, callId: CallId, decision: PersonDecision): Promise<SentMessage>
  /** Cancels the open turn, in any process; its text is kept. False if none is open. */
  cancel(sessionId: SessionId): Promise<boolean>
  /** Cancels every turn of this process and waits until that is stored, before the process exits. */
  cancelAll(): Promise<void>
  /** Ends the open turn of a session if its process died, to make it resumable; refuses an ended session. */
  settle(sessionId: SessionId): Promise<void>
  /** Ends turns whose process was dead at this call and the previous one; returns their number. */
  settleInterrupted(): Promise<number>
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

/** The next call handles the rest. */
const SETTLED_AT_ONCE = 100

export function createSessions(plainHost: SessionsHost): Sessions {
  const { secrets, getModel } = plainHost
  const host = secrets
    ? { ...plainHost, getModel: (agent: Agent) => maskModel(getModel(agent), secrets) }
    : plainHost
  const mask = createMask(host)
  const { store } = host
  const cache = createSessionCache()
  const turns = createAgentRunner(host, cache)
  const openings = createTurnOpenings(host, cache, turns)
  // A process may lose its connection for a moment, so a turn is ended only if it is found twice.
  let suspects = new Set<TurnId>()

  return {
    async start(opening, signal) {
      const session = await startSession(opening, host, [], signal)
      cache.remember(session.id, createCachedSession(createSessionFrame(session)))
      return session
    },

    fork: (sessionId, opening) => forkSession(sessionId, opening, host),
    ...openings,

    async cancel(sessionId) {
      if (turns.abort(sessionId)) return true
      const open = (await store.find(sessionId))?.openTurn
      if (!open) return false
      const { turnId, state } = open
      return state === 'running'
        ? store.requestCancel({ sessionId, turnId })
        : settleTurn({ sessionId, turnId, state }, 'cancelled', host)
    },

    cancelAll: () => turns.abortAll(),

    async settle(sessionId) {
      refuseEnded(await store.find(sessionId))
      await settleInterrupted(sessionId, host)
    },

    async settleInterrupted() {
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
      await settleInterrupted(sessionId, host)
      await store.end(sessionId, new Date(host.clock.now()).toISOString())
      cache.forget(sessionId)
    },

    async remove(sessionId) {
      await settleInterrupted(sessionId, host)
      await store.remove(sessionId)
      cache.forget(sessionId)
    },

    streamEvents: (reading) => readEvents(reading, host),
  }
}

/** Refuses an agent whose model is not available. */
async function startSession(
  opening: NewSession,
  host: SessionsHost,
  past: readonly SessionMessage[] = [],
  signal?: AbortSignal,
): Promise<AgentSession> {
  const { ownerId, channel, agent, context, title, firstMessage } = maskValue(opening, createMask(host))
  resolveModels(agent, host)
  checkOpening(opening)
  checkPlaceholders(agent.system_prompt, context)
  checkAgentInput(agent)
  if (firstMessage !== undefined) checkInput(agent, firstMessage)
  const { store, clock, ids } = host
  const id = opening.id ?? ids.sessionId()
  const { id: agentSlug, name, model, provider } = agent
  const started = createStamper(id, 1, clock).stamp({
    type: 'session:started',
    agent: { id: agentSlug, model, provider, ...(name !== undefined && { name }) },
    context,
  })
  const session: AgentSession = {
    id,
    ownerId,
    channel,
    status: 'active',
    agentSlug,
    agentSnapshot: agent,
    context,
    costs: {},
    grants: [],
    messageCount: past.length,
    createdAt: started.timestamp,
    updatedAt: started.timestamp,
    ...(title !== undefined && { title }),
  }
  const copied = past.map((message, index) => ({
    ...message,
    id: ids.messageId(),
    sessionId: id,
    sequenceNumber: index + 1,
  }))
  await store.create(session, toStoredEvent(started), copied, signal)
  return session
}

/** Refuses an invalid context, and a secret in any text of agent, context or title. */
function checkOpening({ agent, context, title }: NewSession): void {
  const [issue] = SessionContextSchema.safeParse(context).error?.issues ?? []
  if (issue) {
    throw new PlatformError('validation', {
      message: `${writePath(['context', ...issue.path])}: ${formatIssue(issue)}.`,
      fix: 'Give the session less context, or keep it in a file that the agent reads.',
    })
  }
  refuseSecrets({ agent, context, title })
}

/** Refuses a secret in any text that a session stores. */
function refuseSecrets(kept: Readonly<Record<string, unknown>>): void {
  const [secret] = findSecretsIn(kept)
  if (!secret) return
  const place = writePath(secret.path)
  throw new PlatformError('validation', {
    message: `${place} looks like ${secret.kind}. The agent, the context and the title of a session are stored, and shown in plain text.`,
    fix: 'Take it out. Secrets are kept with `parley keys set NAME`, or in the environment.',
    path: place,
  })
}

const PAGE = 500

/** A new session of another agent with the completed turns of an earlier one, and notes on the others. */
async function forkSession(
  sessionId: SessionId,
  opening: Pick<NewSession, 'id' | 'ownerId' | 'agent'>,
  host: SessionsHost,
): Promise<AgentSession> {
  const record = await host.store.find(sessionId)
  if (!record) throw new PlatformError('session_not_found', { sessionId })
  const { channel, context, title } = record.session
  const past: SessionMessage[] = []
  for (;;) {
    const page = await host.store.readMessages(sessionId, { after: past.length, limit: PAGE })
    past.push(...page)
    if (page.length < PAGE) break
  }
  const turns = await readPastTurns(past, host)
  return startSession(
    // A title made from the first message may contain a secret.
    { ...opening, channel, context, ...(title !== undefined && !findSecret(title) && { title }) },
    host,
    turns.flatMap((turn) => (turn.kind === 'completed' ? turn.messages : [turn.note])),
  )
}
