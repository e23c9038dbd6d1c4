import {
  type Agent,
  type AgentSession,
  type CallId,
  PlatformError,
  SessionContextSchema,
  type SessionEvent,
  type SessionId,
  type SessionMessage,
  type TurnId,
  findSecret,
  findSecretsIn,
  issueInWords,
  writePath,
} from '@parley/contracts'
import { checkAgentInput, checkInput, checkPlaceholders } from '../context/agent-input.ts'
import { createStamper } from '../events/in-flight.ts'
import { readEvents } from '../events/read-events.ts'
import { toStored } from '../events/stored-event.ts'
import { type ExportedAgent, type ExportedSession, exportedYaml } from '../export/export-session.ts'
import { maskFor, maskIn, maskedModel } from '../tools/mask-secrets.ts'
import { createAgentRunner } from './agent-runner.ts'
import { createKnownSessions, frameOf, knownFrom } from './known-sessions.ts'
import { createTurnOpenings } from './open-turns.ts'
import { readPastTurns } from './read-past.ts'
import type { Decision, NewSession, Said, SendOptions, SentMessage } from './requests.ts'
import { refuseEnded, settleInterrupted, settleTurn } from './settle-turn.ts'
import { type Shortened, compactSession, noteEvent, trimSession } from './shorten-session.ts'
import { type SessionsHost, modelsOf } from './turn-host.ts'
import { isBusy } from './turn-recorder.ts'

/** Start, send, cancel and read sessions: what every edge drives. */
export interface Sessions {
  /** Refuses an agent whose model is not to be had here, since it could never answer. An abort stores nothing. */
  start(opening: NewSession, signal?: AbortSignal): Promise<AgentSession>
  /** A new session of another agent with the same past. */
  fork(sessionId: SessionId, opening: Pick<NewSession, 'id' | 'ownerId' | 'agent'>): Promise<AgentSession>
  /** Resolves once the message is stored; the turn goes on by itself. */
  send(sessionId: SessionId, said: string | Said, options?: SendOptions): Promise<SentMessage>
  /** Goes on with the last turn, if it came to no answer, from its last stored step. */
  continue(sessionId: SessionId): Promise<SentMessage>
  /** What a person says to a call that waits for them; the turn goes on, in this process. */
  decide(sessionId: SessionId, callId: CallId, decision: Decision): Promise<SentMessage>
  /** Cancels the open turn, in whatever process it runs; what was said is kept. False where none is open. */
  cancel(sessionId: SessionId): Promise<boolean>
  /** Cancels every turn that runs here and waits until it is stored: for a process that ends. */
  cancelAll(): Promise<void>
  /** Ends the open turn of a session if its process died, so that it can be resumed; refuses one that has ended. */
  settle(sessionId: SessionId): Promise<void>
  /** Ends turns whose process was found dead by this call and by the one before it, and tells how many. */
  settleInterrupted(): Promise<number>
  /** Summarises what was said so far, for the model; the messages stay. */
  compact(sessionId: SessionId): Promise<Shortened>
  /** Leaves out, for the model, all but the last `keep` messages and their turn's others; the messages stay. */
  trim(sessionId: SessionId, keep: number): Promise<Shortened>
  /** The session as a workflow file, as it stands, without what is secret now. */
  exported(sessionId: SessionId, agent?: ExportedAgent): Promise<ExportedSession>
  /** That the session was exported, where no turn is open: an export changes nothing else. */
  noteExport(sessionId: SessionId): Promise<void>
  rename(sessionId: SessionId, title: string): Promise<void>
  /** No more turns; it stays to be read. */
  end(sessionId: SessionId): Promise<void>
  /** Removes it with all that it holds. */
  remove(sessionId: SessionId): Promise<void>
  events(reading: { sessionId: SessionId; after: number; signal: AbortSignal }): AsyncGenerator<SessionEvent>
}

/** The rest comes with the next call. */
const SETTLED_AT_ONCE = 100

export function createSessions(given: SessionsHost): Sessions {
  const { secrets, modelOf } = given
  const host = secrets ? { ...given, modelOf: (agent: Agent) => maskedModel(modelOf(agent), secrets) } : given
  const mask = maskFor(host)
  const { store } = host
  const known = createKnownSessions()
  const turns = createAgentRunner(host, known)
  const openings = createTurnOpenings(host, known, turns)
  // A process that lost its connection for a moment is not dead: a turn is settled only at the second sight.
  let suspects = new Set<TurnId>()

  return {
    async start(opening, signal) {
      const session = await startSession(opening, host, [], signal)
      known.remember(session.id, knownFrom(frameOf(session)))
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
        ? store.askToCancel({ sessionId, turnId })
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
      await host.hub.recheck()
      return settled.filter(Boolean).length
    },

    async compact(sessionId) {
      known.forget(sessionId)
      return compactSession(sessionId, host)
    },

    async trim(sessionId, keep) {
      known.forget(sessionId)
      return trimSession(sessionId, keep, host)
    },

    async rename(sessionId, title) {
      refuseSecrets({ title })
      await store.rename(sessionId, mask(title))
    },

    exported: (sessionId, agent) => exportedYaml(store, sessionId, { mask, agent }),

    async noteExport(sessionId) {
      await noteEvent(sessionId, { type: 'session:exported', format: 'relavium.yaml' }, host).catch(
        (failure: unknown) => {
          if (!isBusy(failure)) throw failure
        },
      )
    },

    async end(sessionId) {
      await settleInterrupted(sessionId, host)
      await store.end(sessionId, new Date(host.clock.now()).toISOString())
      known.forget(sessionId)
    },

    async remove(sessionId) {
      await settleInterrupted(sessionId, host)
      await store.remove(sessionId)
      known.forget(sessionId)
    },

    events: (reading) => readEvents(reading, host),
  }
}

/** Refuses an agent whose model is not to be had here, since it could never answer. */
async function startSession(
  opening: NewSession,
  host: SessionsHost,
  past: readonly SessionMessage[] = [],
  signal?: AbortSignal,
): Promise<AgentSession> {
  const { ownerId, channel, agent, context, title, firstMessage } = maskIn(opening, maskFor(host))
  modelsOf(agent, host)
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
  await store.create(session, toStored(started), copied, signal)
  return session
}

/** Refuses a context that the schema does not allow, and a secret in any text of agent, context or title. */
function checkOpening({ agent, context, title }: NewSession): void {
  const [issue] = SessionContextSchema.safeParse(context).error?.issues ?? []
  if (issue) {
    throw new PlatformError('validation', {
      message: `${writePath(['context', ...issue.path])}: ${issueInWords(issue)}.`,
      mend: 'Give the session less context, or keep it in a file that the agent reads.',
    })
  }
  refuseSecrets({ agent, context, title })
}

/** Refuses a secret in any text that a session keeps. */
function refuseSecrets(kept: Readonly<Record<string, unknown>>): void {
  const [secret] = findSecretsIn(kept)
  if (!secret) return
  const place = writePath(secret.path)
  throw new PlatformError('validation', {
    message: `${place} looks like ${secret.kind}. The agent, the context and the title of a session are stored, and shown in plain text.`,
    mend: 'Take it out. Secrets are kept with `parley keys set NAME`, or in the environment.',
    path: place,
  })
}

const PAGE = 500

/** A new session of another agent with what was completed in an earlier one, and notes on what was not. */
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
    // A title that was taken from the first message may hold a secret.
    { ...opening, channel, context, ...(title !== undefined && !findSecret(title) && { title }) },
    host,
    turns.flatMap((turn) => (turn.kind === 'completed' ? turn.messages : [turn.note])),
  )
}
