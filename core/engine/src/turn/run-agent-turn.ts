import type { ToolCall, ToolOutcome, TurnEvent } from '@parley/contracts'
import type { ApprovalAnswer, ToolRegistry, ToolResult, CallDecision } from '../ports/tools.ts'
import { askModel } from './ask-model.ts'
import { decideNext } from './decide-next.ts'
import {
  CANCELLED,
  type DurableEvent,
  type Turn,
  type TurnHost,
  type TurnMessage,
  type TurnOutput,
  removeResumption,
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
  const { id: turnId, resumption } = turn
  // The decision is for the calls that were open then: a later call may reuse the id.
  const current = removeResumption(turn)
  const transcript = [...turn.transcript]
  for (const call of calls) {
    if (signal.aborted) return { ...current, transcript, failure: CANCELLED }
    const { id: callId, name: tool } = call
    const state = findCallState(call, resumption, tools)
    const isPublished = state.kind === 'answered'
    const decision = state.kind === 'lost' ? undefined : await decideCall(call, state, host)
    if (!isPublished) yield { type: 'agent:tool_call', turnId, callId, call } satisfies TurnEvent
    if (decision?.kind === 'asks') {
      if (signal.aborted) return { ...current, transcript, failure: CANCELLED }
      const { kind: _, ...request } = decision
      const { usage } = turn
      yield { type: 'agent:approval_requested', turnId, callId, tool, ...request, usage } satisfies TurnEvent
      return { ...current, transcript, waitingCallId: callId }
    }
    if (decision) yield toDecidedEvent(turn, call, decision)
    const { outcome, media = [], kept = [] } = decision ? await runCall(decision, signal) : LOST_RESULT
    const mediaParts = media.map(({ bytes, ...named }) => ({
      type: 'media' as const,
      handle: host.toMediaHandle(bytes),
      ...named,
    }))
    const message: TurnMessage = {
      role: 'tool',
      content: [{ type: 'tool_result', callId, outcome }, ...mediaParts],
    }
    transcript.push(message)
    yield { type: 'turn:message', message, media: [...media, ...kept] }
    yield { type: 'agent:tool_result', turnId, callId, outcome } satisfies TurnEvent
  }
  return signal.aborted ? { ...current, transcript, failure: CANCELLED } : { ...current, transcript }
}

/** The state of a call when it is next: a lost one may have run, and must not run twice. */
type CallState =
  | { readonly kind: 'new' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'answered'; readonly answer: ApprovalAnswer }

function findCallState(
  { id, name }: ToolCall,
  resumption: Turn['resumption'],
  tools: ToolRegistry,
): CallState {
  if (resumption?.kind === 'decided' && resumption.callId === id)
    return { kind: 'answered', answer: resumption.answer }
  const isInDoubt = resumption?.kind === 'interrupted' && resumption.callIds.has(id)
  const mayRepeat = tools.declarations.some((tool) => tool.name === name && tool.mayRepeat)
  return isInDoubt && !mayRepeat ? { kind: 'lost' } : { kind: 'new' }
}

const decideCall = (
  call: ToolCall,
  state: CallState,
  { tools, signal, grants }: TurnHost,
): Promise<CallDecision> =>
  tools.decide(call, {
    signal,
    grants: grants(),
    ...(state.kind === 'answered' && { answer: state.answer }),
  })

type SettledDecision = Exclude<CallDecision, { kind: 'asks' }>

const toDecidedEvent = (
  { id: turnId }: Turn,
  { id: callId, name: tool }: ToolCall,
  decision: SettledDecision,
): DurableEvent => ({
  type: 'agent:tool_decided',
  turnId,
  callId,
  tool,
  verdict: decision.kind,
  ...decision.decided,
})

const runCall = async (decision: SettledDecision, signal: AbortSignal): Promise<ToolResult> =>
  decision.kind === 'refused' ? { outcome: decision.outcome } : decision.carryOut(signal)

const OUTCOME_UNKNOWN: ToolOutcome = {
  kind: 'failed',
  code: 'tool_failed',
  text: 'interrupted, outcome unknown',
}

const LOST_RESULT: ToolResult = { outcome: OUTCOME_UNKNOWN }
