import {
  type Agent,
  PlatformError,
  type SessionMessage,
  type StopReason,
  type TurnEvent,
} from '@parley/contracts'
import type { Lease } from '../ports/session-store.ts'
import { runAgentTurn } from '../turn/run-agent-turn.ts'
import { openTurn, type Turn, type TurnHost } from '../turn/turn.ts'
import { reconstructSessionState } from './reconstruct-session-state.ts'
import { createTurnRecorder, type RecorderHost } from './turn-recorder.ts'

/** How much of the past a model is given, in messages. */
const TAIL = 200

/** Carries out a turn that holds its session's lease, until the lease is released with its last event. */
export async function runSessionTurn(
  { lease, agent, message }: { lease: Lease; agent: Agent; message: SessionMessage },
  host: Omit<TurnHost, 'say'> & RecorderHost,
): Promise<StopReason> {
  const { turnId, turnNumber } = lease
  const recorder = createTurnRecorder(lease, host)
  recorder.open({ type: 'session:turn_started', turnId, message })
  let turn = openTurn({ id: turnId, number: turnNumber, system: agent.system_prompt, past: [] })
  let stopReason: StopReason = 'error'
  try {
    turn = { ...turn, past: await pastOf(message, host) }
    for await (const output of runAgentTurn(turn, { ...host, say: recorder.say })) {
      if (output.type === 'turn:message') {
        recorder.keep(output.message)
        continue
      }
      await recorder.tell(output)
      if (output.type === 'session:turn_completed') stopReason = output.stopReason
    }
  } catch (failure) {
    const isLost = failure instanceof PlatformError && failure.code === 'session_busy'
    if (!isLost) await recorder.tell(brokenOff(turn))
    throw failure
  } finally {
    recorder.close()
  }
  return stopReason
}

/** What the model is given of the past: completed turns, and the one that was just opened. */
async function pastOf({ sessionId }: SessionMessage, { store }: RecorderHost): Promise<Turn['past']> {
  const turns = reconstructSessionState(await store.readTail(sessionId, TAIL))
  return turns.flatMap(({ messages, outcome }, index) =>
    outcome === 'completed' || index === turns.length - 1 ? messages : [],
  )
}

const brokenOff = ({ id: turnId, usage }: Turn): Extract<TurnEvent, { type: 'session:turn_completed' }> => ({
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
