import type { StopReason, TurnEvent } from '@parley/contracts'
import { PlatformError } from '@parley/contracts'
import type { Lease } from '../ports/session-store.ts'
import { runAgentTurn } from '../turn/run-agent-turn.ts'
import type { Turn, TurnHost } from '../turn/turn.ts'
import { createTurnRecorder, type RecorderHost } from './turn-recorder.ts'

type Opened = Extract<TurnEvent, { type: 'session:turn_started' }>

/** Carries out a turn that holds its session's lease, until the lease is released with its last event. */
export async function runSessionTurn(
  { lease, turn, opened }: { lease: Lease; turn: Turn; opened: Opened },
  host: TurnHost & RecorderHost,
): Promise<StopReason> {
  const recorder = createTurnRecorder(lease, host)
  recorder.open(opened)
  let stopReason: StopReason = 'error'
  try {
    for await (const output of runAgentTurn(turn, host)) {
      if (output.type === 'turn:message') {
        recorder.keep(output.message)
        continue
      }
      const stored = recorder.tell(output)
      if (stored) await stored
      if (output.type === 'session:turn_completed') stopReason = output.stopReason
    }
  } catch (failure) {
    // Whoever has the lease now ends the turn; otherwise it must not stay open for want of its last event.
    if (!(failure instanceof PlatformError)) await recorder.tell(brokenOff(turn))
    throw failure
  }
  return stopReason
}

const brokenOff = ({ id: turnId, usage }: Turn): TurnEvent => ({
  type: 'session:turn_completed',
  turnId,
  stopReason: 'error',
  usage,
  error: {
    code: 'internal',
    message: 'Something went wrong inside Parley. The message is kept; send it again.',
    retryable: true,
  },
})
