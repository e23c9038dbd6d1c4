import type { SessionId, SessionMessage, ToolGrant, TurnEvent } from '@parley/contracts'
import { NO_USAGE } from '../budget/cost.ts'
import { renderInputs } from '../context/agent-input.ts'
import { selectRemembered } from '../context/plan-context.ts'
import type { Lease } from '../ports/session-store.ts'
import { runAgentTurn } from '../turn/run-agent-turn.ts'
import { type DurableEvent, type Turn, type TurnHost, openTurn } from '../turn/turn.ts'
import type { SentMessage, TurnEnding } from './requests.ts'
import { type CachedSession, type SessionCache, addCachedTurn } from './session-cache.ts'
import { type FixedSession, type SessionsHost, createTurnHost } from './turn-host.ts'
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
  readonly abort: AbortController
  readonly ended: Promise<TurnEnding>
}

export type AgentRunner = ReturnType<typeof createAgentRunner>

/** The turns that are running in this process. */
export function createAgentRunner(host: SessionsHost, cache: SessionCache) {
  const running = new Map<SessionId, RunningTurn>()

  const run = async (leased: LeasedTurn, abort: AbortController): Promise<TurnEnding> => {
    const { sessionId } = leased.lease
    const stopWatching = host.store.watchCancel(leased.lease, () => abort.abort())
    try {
      const { ending, session } = await runLeasedTurn(leased, abort.signal, host)
      if (session) cache.remember(sessionId, session)
      else cache.forget(sessionId)
      return ending
    } finally {
      stopWatching()
      // A turn that waited may already run again under the same id.
      if (running.get(sessionId)?.abort === abort) running.delete(sessionId)
    }
  }

  return {
    start(leased: LeasedTurn): SentMessage {
      const { sessionId, turnId, eventSequence } = leased.lease
      const abort = new AbortController()
      const ended = run(leased, abort)
      running.set(sessionId, { abort, ended })
      return { turnId, firstSequence: eventSequence, ended }
    },

    /** False if no turn of the session runs here. */
    abort(sessionId: SessionId): boolean {
      const turn = running.get(sessionId)
      turn?.abort.abort()
      return turn !== undefined
    },

    async abortAll() {
      const turns = [...running.values()]
      for (const { abort } of turns) abort.abort()
      await Promise.allSettled(turns.map(({ ended }) => ended))
    },
  }
}

/**
 * Runs a turn that holds its session's lease, until the last event releases the lease. Any failure, during preparation
 * too, ends the turn or abandons it: this process is alive, so no other process would end it. Returns the session after
 * the turn, unless its past must be read again.
 */
async function runLeasedTurn(
  leased: LeasedTurn,
  signal: AbortSignal,
  host: SessionsHost,
): Promise<{ readonly ending: TurnEnding; readonly session: CachedSession | undefined }> {
  const { lease, first, session, question, transcript = [] } = leased
  const recorder = createTurnRecorder(lease, host)
  const { streamText, nextStepId, costs, grants, storedMessages, record: announce } = recorder
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
    return { ending, session: addCachedTurn(before, [question, ...transcript, ...storedMessages]) }
  } catch (failure) {
    if (isBusy(failure)) host.store.giveUpLease(lease)
    else await abandonTurn()
    throw failure
  } finally {
    recorder.close()
  }
}

function toTurn(
  { lease, session, question, transcript = [], resumption, usage }: LeasedTurn,
  before: CachedSession,
): Turn {
  const { turnId, turnNumber } = lease
  const { past, summary } = selectRemembered(before, session.agentSnapshot.memory)
  return openTurn({
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
