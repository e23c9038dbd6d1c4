import type { ToolCall, ToolOutcome, TurnEvent } from '@parley/contracts'
import type { Answer, ToolRegistry, ToolResult, Verdict } from '../ports/tools.ts'
import { askModel } from './ask-model.ts'
import { decideNext } from './decide-next.ts'
import {
  CANCELLED,
  type KeptEvent,
  type Turn,
  type TurnHost,
  type TurnMessage,
  type TurnOutput,
} from './turn.ts'

/**
 * One turn, from the question to its end, or until it waits for a person. It streams text, yields everything to store,
 * and returns the new state. The caller does the storing; since the generator waits at each `yield`, a call is on record
 * before its tool runs.
 */
export async function* runAgentTurn(opening: Turn, host: TurnHost): AsyncGenerator<TurnOutput, Turn> {
  let turn = opening
  for (;;) {
    const next = decideNext(turn, host.limits)
    switch (next.kind) {
      case 'ask-model':
        turn = yield* askModel(turn, host)
        break
      case 'call-tools':
        turn = yield* callTools(turn, next.calls, host)
        break
      case 'wait':
        return turn
      case 'stop': {
        const { reason, error } = next
        if (reason === 'cancelled') yield { type: 'session:cancelled', turnId: turn.id }
        const { id: turnId, usage } = turn
        yield { type: 'session:turn_completed', turnId, stopReason: reason, usage, ...(error && { error }) }
        return turn
      }
      default:
        next satisfies never
    }
  }
}

/** Runs calls one after another, until all have results or one waits for a person. */
async function* callTools(
  turn: Turn,
  calls: readonly ToolCall[],
  host: TurnHost,
): AsyncGenerator<TurnOutput, Turn> {
  const { tools, signal } = host
  const { id: turnId, takenUp } = turn
  // The decision is for the calls that were open then: a later call may reuse the id.
  const spent = withoutTakenUp(turn)
  const transcript = [...turn.transcript]
  for (const call of calls) {
    if (signal.aborted) return { ...spent, transcript, failure: CANCELLED }
    const { id: callId, name: tool } = call
    const standing = standingOf(call, takenUp, tools)
    const isTold = standing.kind === 'answered'
    const verdict = standing.kind === 'lost' ? undefined : await decided(call, standing, host)
    if (!isTold) yield { type: 'agent:tool_call', turnId, callId, call } satisfies TurnEvent
    if (verdict?.kind === 'asks') {
      if (signal.aborted) return { ...spent, transcript, failure: CANCELLED }
      const { kind: _, ...request } = verdict
      const { usage } = turn
      yield { type: 'agent:approval_requested', turnId, callId, tool, ...request, usage } satisfies TurnEvent
      return { ...spent, transcript, waitsFor: callId }
    }
    if (verdict) yield decisionOf(turn, call, verdict)
    const { outcome, media = [], kept = [] } = verdict ? await resultOf(verdict, signal) : LOST
    const looks = media.map(({ bytes, ...named }) => ({
      type: 'media' as const,
      handle: host.handleOf(bytes),
      ...named,
    }))
    const message: TurnMessage = {
      role: 'tool',
      content: [{ type: 'tool_result', callId, outcome }, ...looks],
    }
    transcript.push(message)
    yield { type: 'turn:message', message, media: [...media, ...kept] }
    yield { type: 'agent:tool_result', turnId, callId, outcome } satisfies TurnEvent
  }
  return signal.aborted ? { ...spent, transcript, failure: CANCELLED } : { ...spent, transcript }
}

function withoutTakenUp(turn: Turn): Turn {
  const { takenUp: _, ...rest } = turn
  return rest
}

/** The state of a call when it is next: a lost one may have run, and must not run twice. */
type Standing =
  | { readonly kind: 'new' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'answered'; readonly answer: Answer }

function standingOf({ id, name }: ToolCall, takenUp: Turn['takenUp'], tools: ToolRegistry): Standing {
  if (takenUp?.kind === 'decided' && takenUp.callId === id)
    return { kind: 'answered', answer: takenUp.answer }
  const isInDoubt = takenUp?.kind === 'interrupted' && takenUp.callIds.has(id)
  const mayRepeat = tools.declarations.some((tool) => tool.name === name && tool.mayRepeat)
  return isInDoubt && !mayRepeat ? { kind: 'lost' } : { kind: 'new' }
}

const decided = (call: ToolCall, standing: Standing, { tools, signal, grants }: TurnHost): Promise<Verdict> =>
  tools.decide(call, {
    signal,
    grants: grants(),
    ...(standing.kind === 'answered' && { answer: standing.answer }),
  })

type Settled = Exclude<Verdict, { kind: 'asks' }>

const decisionOf = (
  { id: turnId }: Turn,
  { id: callId, name: tool }: ToolCall,
  verdict: Settled,
): KeptEvent => ({
  type: 'agent:tool_decided',
  turnId,
  callId,
  tool,
  verdict: verdict.kind,
  ...verdict.decided,
})

const resultOf = async (verdict: Settled, signal: AbortSignal): Promise<ToolResult> =>
  verdict.kind === 'refused' ? { outcome: verdict.outcome } : verdict.carryOut(signal)

const OUTCOME_UNKNOWN: ToolOutcome = {
  kind: 'failed',
  code: 'tool_failed',
  text: 'interrupted, outcome unknown',
}

const LOST: ToolResult = { outcome: OUTCOME_UNKNOWN }
