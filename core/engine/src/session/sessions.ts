import {
  type Agent,
  type AgentSession,
  type Channel,
  type PersonId,
  PlatformError,
  type SessionContext,
  type SessionEvent,
  type SessionId,
  type SessionMessage,
  type StopReason,
  type TurnId,
} from '@parley/contracts'
import { readEvents } from '../events/read-events.ts'
import { createStamper } from '../events/stamper.ts'
import { toStored } from '../events/stored-event.ts'
import type { ModelPort } from '../ports/model.ts'
import type { Lease } from '../ports/session-store.ts'
import type { ToolPort } from '../ports/tools.ts'
import { openTurn, type TurnLimits } from '../turn/turn.ts'
import { reconstructSessionState } from './reconstruct-session-state.ts'
import { runSessionTurn } from './run-session-turn.ts'
import { sessionTitle } from './session-title.ts'
import type { RecorderHost } from './turn-recorder.ts'

export interface SessionsHost extends RecorderHost {
  modelOf(agent: Agent): ModelPort
  toolsOf(agent: Agent): ToolPort
  readonly limits?: Partial<TurnLimits>
}

export interface NewSession {
  readonly ownerId: PersonId
  readonly channel: Channel
  readonly agent: Agent
  readonly context: SessionContext
  readonly title?: string
}

export interface RunningTurn {
  readonly turnId: TurnId
  /** The number of the turn's first event. */
  readonly firstSequence: number
  /** How it ended; rejects only if that could not be stored. */
  readonly ended: Promise<StopReason>
}

/** Start, send, cancel and read sessions: what every edge, voice included, drives. */
export interface Sessions {
  start(opening: NewSession): Promise<AgentSession>
  /** Resolves once the message is stored; the turn goes on by itself. */
  send(sessionId: SessionId, text: string): Promise<RunningTurn>
  /** Aborts the turn that runs here; what was said is kept. False where none runs. */
  cancel(sessionId: SessionId): boolean
  events(reading: { sessionId: SessionId; after: number; signal: AbortSignal }): AsyncGenerator<SessionEvent>
}

export const DEFAULT_LIMITS: TurnLimits = { maxTurns: 50, maxSteps: 25 }

/** How many event numbers a turn reserves when it opens. */
const RESERVED_AT_OPENING = 1_024

/** How much of the past a model is given, in messages. */
const TAIL = 200

const DEFAULT_MAX_TOKENS = 4_096

export function createSessions(host: SessionsHost): Sessions {
  const { store, clock, ids } = host
  const running = new Map<SessionId, AbortController>()

  const carryOut = async (agent: Agent, lease: Lease, message: SessionMessage): Promise<StopReason> => {
    const { sessionId, turnId } = lease
    const turnAbort = new AbortController()
    running.set(sessionId, turnAbort)
    try {
      const past = await pastOf(sessionId)
      return await runSessionTurn(
        {
          lease,
          turn: openTurn({ id: turnId, number: lease.turnNumber, system: agent.system_prompt, past }),
          opened: { type: 'session:turn_started', turnId, message },
        },
        {
          ...host,
          model: host.modelOf(agent),
          tools: host.toolsOf(agent),
          limits: limitsOf(host.limits),
          maxTokens: agent.max_tokens ?? DEFAULT_MAX_TOKENS,
          ...(agent.temperature !== undefined && { temperature: agent.temperature }),
          signal: turnAbort.signal,
        },
      )
    } finally {
      running.delete(sessionId)
    }
  }

  const pastOf = async (sessionId: SessionId) => {
    const turns = reconstructSessionState(await store.readTail(sessionId, TAIL))
    return turns.flatMap(({ messages, outcome }, index) =>
      outcome === 'completed' || index === turns.length - 1 ? messages : [],
    )
  }

  return {
    async start({ ownerId, channel, agent, context, title }) {
      const id = ids.sessionId()
      const { id: agentId, name, model, provider } = agent
      const started = createStamper(id, 1, clock).stamp({
        type: 'session:started',
        agent: { id: agentId, model, provider, ...(name !== undefined && { name }) },
        context,
      })
      const session: AgentSession = {
        id,
        ownerId,
        channel,
        status: 'active',
        agentSlug: agent.id,
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

    async send(sessionId, text) {
      const record = await store.find(sessionId)
      if (!record) throw new PlatformError('session_not_found', { sessionId })
      const turnId = ids.turnId()
      const timestamp = new Date(clock.now()).toISOString()
      const said = {
        id: ids.messageId(),
        content: [{ type: 'text' as const, text }],
        timestamp,
      }
      const lease = await store.begin({
        sessionId,
        turnId,
        message: said,
        event: { timestamp, body: { type: 'session:turn_started', turnId } },
        title: sessionTitle(text),
        reserve: RESERVED_AT_OPENING,
      })
      const message = { ...said, sessionId, role: 'user' as const, sequenceNumber: lease.messageSequence }
      const ended = carryOut(record.session.agentSnapshot, lease, message)
      return { turnId, firstSequence: lease.eventSequence, ended }
    },

    cancel(sessionId) {
      const abort = running.get(sessionId)
      abort?.abort()
      return abort !== undefined
    },

    events: (reading) => readEvents(reading, host),
  }
}

/** 0 or absent means the default. */
function limitsOf(given: Partial<TurnLimits> = {}): TurnLimits {
  return {
    maxTurns: given.maxTurns || DEFAULT_LIMITS.maxTurns,
    maxSteps: given.maxSteps || DEFAULT_LIMITS.maxSteps,
  }
}
