import type { MediaHandle, SessionId, SessionMessage, ToolGrant, TurnEvent } from '@parley/contracts'
import { NO_USAGE } from '../budget/cost.ts'
import { renderInputs } from '../context/agent-input.ts'
import { selectRemembered } from '../window/plan-window.ts'
import type { Lease } from '../ports/session-store.ts'
import { runAgentTurn } from '../turn/run-agent-turn.ts'
import { type DurableEvent, type Turn, type TurnHost, createTurn } from '../turn/turn.ts'
import type { SentMessage, TurnEnding } from './requests.ts'
import { type CachedSession, type SessionCache, addCachedTurn } from './session-cache.ts'
import { type FixedSession, type SessionsHost, findAvailableModels, resolveLimits } from './sessions-host.ts'
import { createTurnRecorder, isBusy } from './turn-recorder.ts'

/** A turn that just got its lease. */
export interface LeasedTurn extends Pick<Turn, 'resumption'>, Pick<Partial<Turn>, 'usage'> {
  readonly lease: Lease
  readonly session: FixedSession
  readonly first: FirstEvent
  /** Reads the session before the question. */
  readonly readBefore: () => Promise<CachedSession>
  readonly question: SessionMessage
  /** The answer's messages from before this lease. */
  readonly transcript?: readonly SessionMessage[]
}

/** The event that was stored with the lease, or the first one to store. */
type FirstEvent =
  | { readonly kind: 'stored'; readonly event: TurnEvent; readonly timestamp: string }
  | { readonly kind: 'new'; readonly event: DurableEvent; readonly grant?: ToolGrant | undefined }

interface RunningTurn {
  readonly controller: AbortController
  readonly ended: Promise<TurnEnding>
}

export type AgentRunner = ReturnType<typeof createAgentRunner>

/** The host, with the state of this process. */
export interface SessionProcess extends SessionsHost {
  readonly mask: (text: string) => string
  readonly cache: SessionCache
  readonly runner: AgentRunner
}

/** Runs turns in this process, at most one for each session. */
export function createAgentRunner(host: SessionsHost, cache: SessionCache) {
  const running = new Map<SessionId, RunningTurn>()

  const run = async (leased: LeasedTurn, controller: AbortController): Promise<TurnEnding> => {
    const { sessionId } = leased.lease
    const stopWatching = host.store.watchCancel(leased.lease, () => controller.abort())
    try {
      const { ending, session } = await runLeasedTurn(leased, controller.signal, host)
      if (session) cache.remember(sessionId, session)
      else cache.forget(sessionId)
      return ending
    } finally {
      stopWatching()
      // A turn that waited may already run again under the same id.
      if (running.get(sessionId)?.controller === controller) running.delete(sessionId)
    }
  }

  return {
    start(leased: LeasedTurn): SentMessage {
      const { sessionId, turnId, eventSequence } = leased.lease
      const controller = new AbortController()
      const ended = run(leased, controller)
      running.set(sessionId, { controller, ended })
      return { turnId, firstSequence: eventSequence, ended }
    },

    /** False if no turn of the session runs here. */
    abort(sessionId: SessionId): boolean {
      const turn = running.get(sessionId)
      turn?.controller.abort()
      return turn !== undefined
    },

    async abortAll() {
      const turns = [...running.values()]
      for (const { controller } of turns) controller.abort()
      await Promise.allSettled(turns.map(({ ended }) => ended))
    },
  }
}

/**
 * Runs a turn that holds its session's lease, until the last event releases the lease. Any failure, during preparation
 * too, ends the turn or abandons it: this process is alive, so no other process would end it. Returns the session after
 * the turn; undefined if its past must be read again.
 */
async function runLeasedTurn(
  leased: LeasedTurn,
  signal: AbortSignal,
  host: SessionsHost,
): Promise<{ readonly ending: TurnEnding; readonly session: CachedSession | undefined }> {
  const { lease, first, session, question, transcript = [] } = leased
  const recorder = createTurnRecorder(lease, host)
  const { streamText, nextStepId, costs, grants, recordedMessages, record: announce } = recorder
  let ending: TurnEnding = 'waiting'
  let usage = NO_USAGE
  const abandonTurn = async () => {
    try {
      await recorder.discardPending()
      await recorder.record(createInternalError(lease, usage))
    } catch {
      host.store.giveUpLease(lease)
    }
  }
  try {
    if (first.kind === 'stored') recorder.publishOpening(first.event, first.timestamp)
    else {
      if (first.grant) recorder.addGrant(first.grant)
      await recorder.record(first.event)
    }
    const prepared = await createTurnHost(session, host)
    const before = await leased.readBefore()
    const turn = toTurn(leased, before)
    ;({ usage } = turn)
    const turnHost: TurnHost = { ...prepared, signal, streamText, nextStepId, costs, grants, announce }
    for await (const output of runAgentTurn(turn, turnHost)) {
      if (output.type === 'turn:message') recorder.addMessage(output.message, output.media)
      else if (output.type === 'turn:cost') {
        ;({ usage } = output)
        recorder.addCost(output.cost, usage)
      } else if (output.type === 'agent:tool_call') {
        // The decision on a call is stored before the tool runs or the person is asked.
        recorder.holdEvent(output)
      } else {
        await recorder.record(output)
        if (output.type === 'session:turn_completed') ending = output.stopReason
      }
    }
    return { ending, session: addCachedTurn(before, [question, ...transcript, ...recordedMessages]) }
  } catch (failure) {
    if (isBusy(failure)) host.store.giveUpLease(lease)
    else await abandonTurn()
    throw failure
  } finally {
    recorder.close()
  }
}

const DEFAULT_MAX_TOKENS = 4_096

/** Creates the host of a session's turn; throws if its own model is not available. */
export async function createTurnHost(
  session: FixedSession,
  host: SessionsHost,
): Promise<Omit<TurnHost, 'signal' | 'streamText' | 'nextStepId' | 'costs' | 'grants'>> {
  const { store, getTools } = host
  const agent = session.agentSnapshot
  const readMedia = (handle: MediaHandle) => store.getMedia(session.id, handle)
  const { temperature, reasoning_effort: reasoningEffort } = agent
  return {
    models: findAvailableModels(agent, host),
    tools: await getTools({ ...session, readMedia }),
    limits: {
      ...resolveLimits({ limits: { ...host.limits, ...(await host.getSessionLimits?.(session)) } }),
      ...(agent.memory?.type === 'summary' && { autoCompact: true, summarisesOldest: true }),
    },
    maxTokens: agent.max_tokens ?? DEFAULT_MAX_TOKENS,
    readMedia,
    toMediaHandle: (bytes) => store.toMediaHandle(bytes),
    ...(agent.output_schema && { outputSchema: agent.output_schema }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
  }
}

function toTurn(
  { lease, session, question, transcript = [], resumption, usage }: LeasedTurn,
  before: CachedSession,
): Turn {
  const { turnId, turnNumber } = lease
  const { past, summary } = selectRemembered(before, session.agentSnapshot.memory)
  return createTurn({
    id: turnId,
    number: turnNumber,
    system: renderInputs(before.system, question),
    past: [...past, question],
    ...(summary !== undefined && { summary }),
    transcript,
    // A resumed turn starts counting its steps again; one that waited for a person keeps its count.
    steps: transcript.filter((message) => message.role === 'assistant' && message.turnId === turnId).length,
    ...(resumption && { resumption }),
    ...(usage && { usage }),
  })
}

const createInternalError = (
  { turnId }: Lease,
  usage: Turn['usage'],
): Extract<TurnEvent, { type: 'session:turn_completed' }> => ({
  type: 'session:turn_completed',
  turnId,
  stopReason: 'error',
  usage,
  error: {
    code: 'internal',
    message: 'Something went wrong inside Parley. Your message is kept; send it again.',
    retryable: true,
  },
})
