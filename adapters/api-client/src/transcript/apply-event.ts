import type { CallId, OpenTurn, SessionEvent, ToolCall, ToolOutcome, TurnId } from '@parley/contracts'
import type { Piece, ToldPart, ToldTurn } from './told-turn.ts'
import type { Transcript } from './transcript.ts'

/** The transcript after one more event. An event that was taken in before changes nothing. */
export function applyEvent(transcript: Transcript, event: SessionEvent): Transcript {
  if (event.sequenceNumber <= transcript.seen) return transcript
  const next = { ...transcript, seen: event.sequenceNumber, told: toldBefore(transcript.told, event) }
  switch (event.type) {
    case 'session:turn_started':
      return opened({ ...next, told: withTurn(next.told, event) }, event, 'running')
    case 'session:turn_completed': {
      const { turnId, stopReason, error } = event
      const openTurn = next.openTurn?.turnId === turnId ? undefined : next.openTurn
      const ending = { stopReason, ...(error && { error }) }
      return inTurn({ ...next, openTurn }, turnId, (turn) => ({ ...withoutWaiting(turn), ending }))
    }
    case 'agent:token':
    case 'agent:reasoning':
      return inParts(next, event.turnId, (parts) => say(parts, event))
    case 'agent:step_discarded':
      return inParts(next, event.turnId, (parts) =>
        parts.filter((part) => part.kind === 'tool' || part.stepId !== event.stepId),
      )
    case 'agent:tool_call':
      return inParts(next, event.turnId, (parts) => withCall(parts, event.call))
    case 'agent:tool_result':
      return inParts(next, event.turnId, (parts) => withOutcome(parts, event.callId, event.outcome))
    case 'agent:approval_requested': {
      const { turnId, callId, tool, target, preview, grant, inputHash } = event
      const waitsFor = {
        callId,
        tool,
        target,
        ...(preview && { preview }),
        ...(grant && { grant }),
        ...(inputHash !== undefined && { inputHash }),
      }
      return inTurn(opened(next, event, 'waiting'), turnId, (turn) => ({ ...turn, waitsFor }))
    }
    case 'agent:approval_answered':
      return inTurn(opened(next, event, 'running'), event.turnId, withoutWaiting)
    case 'agent:retry_scheduled':
    case 'agent:tool_decided':
    case 'budget:paused':
    case 'budget:warning':
    case 'cost:updated':
    case 'session:cancelled':
    case 'session:compacted':
    case 'session:compacting':
    case 'session:exported':
    case 'session:started':
    case 'session:trimmed':
      return next
    default:
      event satisfies never
      return next
  }
}

/** What was said under numbers that an event stands for was never stored: it died with its process. */
function toldBefore(told: readonly ToldTurn[], event: SessionEvent): readonly ToldTurn[] {
  const { fromSequence } = event
  return fromSequence === undefined || isSaid(event) ? told : takeBack(told, fromSequence)
}

const isSaid = (event: SessionEvent): event is Said =>
  event.type === 'agent:token' || event.type === 'agent:reasoning'

type OfTurn = Extract<SessionEvent, { turnId: TurnId }>

function opened(
  transcript: Transcript,
  { sequenceNumber, turnId }: OfTurn,
  state: OpenTurn['state'],
): Transcript {
  return sequenceNumber > transcript.openedAt ? { ...transcript, openTurn: { turnId, state } } : transcript
}

type Started = Extract<SessionEvent, { type: 'session:turn_started' }>

/** A turn that goes on with an earlier one takes its place, with what is left standing of it. */
function withTurn(
  told: readonly ToldTurn[],
  { turnId, message: opening, continued, sequenceNumber: startedAt }: Started,
): readonly ToldTurn[] {
  const index = continued ? told.findLastIndex((turn) => turn.opening.id === opening.id) : -1
  const earlier = told[index]
  return earlier
    ? told.with(index, { turnId, startedAt, opening, parts: withoutFailedStep(earlier) })
    : [...told, { turnId, startedAt, opening, parts: [] }]
}

function withoutWaiting(turn: ToldTurn): ToldTurn {
  const { waitsFor: _, ...rest } = turn
  return rest
}

const inParts = (
  transcript: Transcript,
  turnId: TurnId,
  change: (parts: readonly ToldPart[]) => readonly ToldPart[],
): Transcript => inTurn(transcript, turnId, (turn) => ({ ...turn, parts: change(turn.parts) }))

function inTurn(transcript: Transcript, turnId: TurnId, change: (turn: ToldTurn) => ToldTurn): Transcript {
  const index = transcript.told.findLastIndex((turn) => turn.turnId === turnId)
  const turn = transcript.told[index]
  return turn ? { ...transcript, told: transcript.told.with(index, change(turn)) } : transcript
}

type Said = Extract<SessionEvent, { type: 'agent:token' | 'agent:reasoning' }>

/** Adds what was said. A joined event first takes away what its step said from its first number on. */
function say(parts: readonly ToldPart[], event: Said): readonly ToldPart[] {
  const { stepId, sequenceNumber, fromSequence: from = sequenceNumber } = event
  const kind = event.type === 'agent:token' ? 'text' : 'reasoning'
  const said = event.type === 'agent:token' ? event.token : event.text
  const kept = event.fromSequence === undefined ? parts : cutFrom(parts, from, stepId)
  const part = kept.at(-1)
  if (part?.kind === kind && part.stepId === stepId) {
    const last = { from, text: part.last.text + said, before: part.last }
    return [...kept.slice(0, -1), { ...part, last }]
  }
  return [...kept, { kind, stepId, last: { from, text: said, before: undefined } }]
}

/** A call that is made again, since nobody knows whether it was carried out, stands where it stood. */
function withCall(parts: readonly ToldPart[], call: ToolCall): readonly ToldPart[] {
  const index = placeOf(parts, call.id)
  return index < 0 ? [...parts, { kind: 'tool', call }] : parts.with(index, { kind: 'tool', call })
}

function withOutcome(parts: readonly ToldPart[], callId: CallId, outcome: ToolOutcome): readonly ToldPart[] {
  const index = placeOf(parts, callId)
  const part = parts[index]
  return part?.kind === 'tool' ? parts.with(index, { ...part, outcome }) : parts
}

/** A turn fails in the middle of a step, so what it said after its last call is what the failed step said. */
function withoutFailedStep({ parts, startedAt, ending }: ToldTurn): readonly ToldPart[] {
  if (ending?.stopReason !== 'error') return parts
  const lastStanding = parts.findLastIndex((part) => part.kind === 'tool' || part.last.from < startedAt)
  return parts.slice(0, lastStanding + 1)
}

/** The turns without what was said under this number or a later one. */
function takeBack(told: readonly ToldTurn[], from: number): readonly ToldTurn[] {
  return told.map((turn) => {
    const isHit = turn.parts.some((part) => part.kind !== 'tool' && part.last.from >= from)
    return isHit ? { ...turn, parts: cutFrom(turn.parts, from) } : turn
  })
}

function cutFrom(parts: readonly ToldPart[], from: number, stepId?: Said['stepId']): readonly ToldPart[] {
  return parts.flatMap((part): readonly ToldPart[] => {
    if (part.kind === 'tool' || (stepId !== undefined && part.stepId !== stepId)) return [part]
    let last: Piece | undefined = part.last
    while (last && last.from >= from) last = last.before
    return last ? [{ ...part, last }] : []
  })
}

/** Where the call without an outcome stands. Some providers give one id to several calls, one after another. */
const placeOf = (parts: readonly ToldPart[], callId: CallId) =>
  parts.findIndex((part) => part.kind === 'tool' && part.call.id === callId && !part.outcome)
