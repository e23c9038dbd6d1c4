import {
  type Agent,
  type AgentSession,
  type Channel,
  type PersonId,
  PlatformError,
  type SessionContext,
  type SessionEvent,
  type SessionId,
  type StopReason,
  type TurnId,
} from '@parley/contracts'
import { readEvents } from '../events/read-events.ts'
import { createStamper } from '../events/stamper.ts'
import { toStored } from '../events/stored-event.ts'
import type { ModelPort } from '../ports/model.ts'
import type { OpenedTurn } from '../ports/session-store.ts'
import type { ToolPort } from '../ports/tools.ts'
import type { TurnHost, TurnLimits } from '../turn/turn.ts'
import { runSessionTurn } from './run-session-turn.ts'
import { sessionTitle } from './session-title.ts'
import type { RecorderHost } from './turn-recorder.ts'

export interface SessionsHost extends RecorderHost {
  readonly modelOf: (agent: Agent) => ModelPort
  readonly toolsOf: (agent: Agent) => ToolPort
  readonly limits?: Partial<TurnLimits>
}

export interface NewSession {
  readonly ownerId: PersonId
  readonly channel: Channel
  readonly agent: Agent
  readonly context: SessionContext
  readonly title?: string
}

export interface SendOptions {
  /** Said again under the same key, a message is not said twice; other words under it are an error. */
  readonly idempotencyKey?: string
}

export interface SentMessage {
  readonly turnId: TurnId
  /** The number of the turn's first event. */
  readonly firstSequence: number
  /** How the turn ended; rejects only if that could not be stored. Absent where it was opened before. */
  readonly ended?: Promise<StopReason>
}

/** Start, send, cancel and read sessions: what every edge drives. */
export interface Sessions {
  /** Refuses an agent whose model is not to be had here, since it could never answer. */
  start(opening: NewSession): Promise<AgentSession>
  /** Resolves once the message is stored; the turn goes on by itself. */
  send(sessionId: SessionId, text: string, options?: SendOptions): Promise<SentMessage>
  /** Aborts the turn that runs here; what was said is kept. False where none runs. */
  cancel(sessionId: SessionId): boolean
  /** Cancels every turn that runs here and waits until it is stored: for a process that ends. */
  cancelAll(): Promise<void>
  events(reading: { sessionId: SessionId; after: number; signal: AbortSignal }): AsyncGenerator<SessionEvent>
}

const DEFAULT_LIMITS: TurnLimits = { maxTurns: 50, maxSteps: 25 }

const DEFAULT_MAX_TOKENS = 4_096

/** How many event numbers a turn reserves when it opens. */
const RESERVED_AT_OPENING = 1_024

export function createSessions(host: SessionsHost): Sessions {
  const { store, clock, ids } = host
  const running = new Map<SessionId, { turnId: TurnId; abort: AbortController; ended: Promise<StopReason> }>()

  return {
    async start({ ownerId, channel, agent, context, title }) {
      host.modelOf(agent)
      const id = ids.sessionId()
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
        messageCount: 0,
        createdAt: started.timestamp,
        updatedAt: started.timestamp,
        ...(title !== undefined && { title }),
      }
      await store.create(session, toStored(started))
      return session
    },

    async send(sessionId, text, { idempotencyKey } = {}) {
      const record = await store.find(sessionId)
      if (!record) throw new PlatformError('session_not_found', { sessionId })
      const agent = record.session.agentSnapshot
      const abort = new AbortController()
      const turnHost = { ...host, ...turnHostOf(agent, host), signal: abort.signal }
      if (idempotencyKey !== undefined) {
        const opened = await store.findOpening(sessionId, idempotencyKey)
        if (opened) return openedBefore(opened, text)
      }

      const turnId = ids.turnId()
      const timestamp = new Date(clock.now()).toISOString()
      const said = { id: ids.messageId(), content: [{ type: 'text' as const, text }], timestamp }
      const lease = await store.begin({
        sessionId,
        turnId,
        message: said,
        event: { timestamp, body: { type: 'session:turn_started', turnId } },
        title: sessionTitle(text),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        reserve: RESERVED_AT_OPENING,
      })
      const message = { ...said, sessionId, role: 'user' as const, sequenceNumber: lease.messageSequence }
      const ended = runSessionTurn({ lease, agent, message }, turnHost).finally(() => {
        if (running.get(sessionId)?.turnId === turnId) running.delete(sessionId)
      })
      running.set(sessionId, { turnId, abort, ended })
      return { turnId, firstSequence: lease.eventSequence, ended }
    },

    cancel(sessionId) {
      const turn = running.get(sessionId)
      turn?.abort.abort()
      return turn !== undefined
    },

    async cancelAll() {
      const turns = [...running.values()]
      for (const { abort } of turns) abort.abort()
      await Promise.allSettled(turns.map(({ ended }) => ended))
    },

    events: (reading) => readEvents(reading, host),
  }
}

/** What a turn of this agent runs with; throws where its provider is not to be had, before anything is stored. */
function turnHostOf(
  agent: Agent,
  { modelOf, toolsOf, limits = {} }: SessionsHost,
): Omit<TurnHost, 'signal' | 'ids' | 'say'> {
  return {
    model: modelOf(agent),
    tools: toolsOf(agent),
    limits: {
      maxTurns: limits.maxTurns || DEFAULT_LIMITS.maxTurns,
      maxSteps: limits.maxSteps || DEFAULT_LIMITS.maxSteps,
    },
    maxTokens: agent.max_tokens ?? DEFAULT_MAX_TOKENS,
    ...(agent.temperature !== undefined && { temperature: agent.temperature }),
  }
}

function openedBefore({ turnId, message, eventSequence }: OpenedTurn, text: string): SentMessage {
  const [said] = message.content
  if (said?.type === 'text' && said.text === text) return { turnId, firstSequence: eventSequence }
  throw new PlatformError('idempotency_conflict', {
    message: 'This Idempotency-Key was used for another message.',
  })
}
