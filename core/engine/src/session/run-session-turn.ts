import type { SessionMessage, StopReason, ToolGrant, TurnEvent } from '@parley/contracts'
import { NO_USAGE } from '../budget/cost.ts'
import type { Lease } from '../ports/session-store.ts'
import { runAgentTurn } from '../turn/run-agent-turn.ts'
import type { KeptEvent, Turn, TurnHost } from '../turn/turn.ts'
import { type RecorderHost, createTurnRecorder, isBusy } from './turn-recorder.ts'

/** The event that was stored with the lease, or the first one to store. */
export type FirstEvent =
  | { readonly kind: 'stored'; readonly event: TurnEvent; readonly timestamp: string }
  | { readonly kind: 'new'; readonly event: KeptEvent; readonly grant?: ToolGrant | undefined }

/** How a turn ended, or that it waits for a person. */
export type TurnEnding = StopReason | 'waiting'

interface PreparedTurn {
  readonly turn: Turn
  readonly turnHost: Omit<TurnHost, 'say' | 'nextStepId' | 'costs' | 'grants' | 'announce'>
}

/**
 * Runs a turn that holds its session's lease, until the last event releases the lease. Any failure, during preparation
 * too, ends the turn or abandons it: this process is alive, so no other process would end it.
 */
export async function runSessionTurn(
  { lease, first, prepare }: { lease: Lease; first: FirstEvent; prepare: () => Promise<PreparedTurn> },
  host: RecorderHost,
): Promise<{ ending: TurnEnding; kept: readonly SessionMessage[] }> {
  const recorder = createTurnRecorder(lease, host)
  const { say, nextStepId, costs, grants, kept, record: announce } = recorder
  let ending: TurnEnding = 'waiting'
  let usage = NO_USAGE
  const abandonTurn = async () => {
    try {
      await recorder.discard()
      await recorder.record(createInternalError(lease, usage))
    } catch {
      host.store.giveUp(lease)
    }
  }
  try {
    if (first.kind === 'stored') recorder.open(first.event, first.timestamp)
    else {
      if (first.grant) recorder.grant(first.grant)
      await recorder.record(first.event)
    }
    const { turn, turnHost } = await prepare()
    ;({ usage } = turn)
    const parts = { ...turnHost, say, nextStepId, costs, grants, announce }
    for await (const output of runAgentTurn(turn, parts)) {
      if (output.type === 'turn:message') {
        recorder.addMessage(output.message, output.media)
        continue
      }
      if (output.type === 'turn:cost') {
        ;({ usage } = output)
        recorder.addCost(output.cost, usage)
        continue
      }
      // The decision on a call is stored before the tool runs or the person is asked.
      if (output.type === 'agent:tool_call') {
        recorder.holdEvent(output)
        continue
      }
      await recorder.record(output)
      if (output.type === 'session:turn_completed') ending = output.stopReason
    }
  } catch (failure) {
    if (isBusy(failure)) host.store.giveUp(lease)
    else await abandonTurn()
    throw failure
  } finally {
    recorder.close()
  }
  return { ending, kept }
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
