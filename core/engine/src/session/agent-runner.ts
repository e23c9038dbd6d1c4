import type { SessionId, SessionMessage } from '@parley/contracts'
import { renderInputs } from '../context/agent-input.ts'
import { selectRemembered } from '../context/plan-context.ts'
import type { Lease } from '../ports/session-store.ts'
import { type Turn, openTurn } from '../turn/turn.ts'
import { type KnownSession, type KnownSessions, addTurn } from './known-sessions.ts'
import type { SentMessage } from './requests.ts'
import { type FirstEvent, type TurnEnding, runSessionTurn } from './run-session-turn.ts'
import { type SessionsHost, type SettledSession, createTurnHost } from './turn-host.ts'

/** A turn that just got its lease. */
export interface LeasedTurn extends Pick<Turn, 'resumption'>, Pick<Partial<Turn>, 'usage'> {
  readonly lease: Lease
  readonly session: SettledSession
  readonly first: FirstEvent
  /** The session before the question. */
  readonly before: () => Promise<KnownSession>
  readonly question: SessionMessage
  /** The answer's messages from before this lease. */
  readonly transcript?: readonly SessionMessage[]
}

interface Running {
  readonly abort: AbortController
  readonly ended: Promise<TurnEnding>
}

export type AgentRunner = ReturnType<typeof createAgentRunner>

/** The turns that are running in this process. */
export function createAgentRunner(host: SessionsHost, known: KnownSessions) {
  const running = new Map<SessionId, Running>()

  const run = async (leased: LeasedTurn, abort: AbortController): Promise<TurnEnding> => {
    const { lease, session, first, question, transcript = [], resumption, usage } = leased
    const { sessionId, turnId, turnNumber } = lease
    const unwatch = host.store.watchCancel(lease, () => abort.abort())
    let before: KnownSession | undefined
    const prepare = async () => {
      const turnHost = { ...(await createTurnHost(session, host)), signal: abort.signal }
      before = await leased.before()
      const { past, summary } = selectRemembered(before, session.agentSnapshot.memory)
      const turn = openTurn({
        id: turnId,
        number: turnNumber,
        system: renderInputs(before.system, question),
        past: [...past, question],
        ...(summary !== undefined && { summary }),
        transcript,
        // A resumed turn starts counting its steps again; one that waited for a person keeps its count.
        steps: transcript.filter((message) => message.role === 'assistant' && message.turnId === turnId)
          .length,
        ...(resumption && { resumption }),
        ...(usage && { usage }),
      })
      return { turn, turnHost }
    }
    try {
      const { ending, kept } = await runSessionTurn({ lease, first, prepare }, host)
      const after = before && addTurn(before, [question, ...transcript, ...kept])
      if (after) known.remember(sessionId, after)
      else known.forget(sessionId)
      return ending
    } finally {
      unwatch()
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
