import type { CallId, OpenTurn, SessionEvent, ToolCall, ToolOutcome, TurnId } from '@parley/contracts'
import type { TextPiece, EventPart, EventTurn, Transcript } from './transcript.ts'

/** The transcript after one more event. Known events change nothing. */
export function applyEvent(transcript: Transcript, event: SessionEvent): Transcript {
  if (event.sequenceNumber <= transcript.seen) return transcript
  const next = {
    ...transcript,
    seen: event.sequenceNumber,
    eventTurns: withoutReplaced(transcript.eventTurns, event),
  }
  switch (event.type) {
    case 'session:turn_started':
      return withOpenTurn({ ...next, eventTurns: withTurn(next.eventTurns, event) }, event, 'running')
    case 'session:turn_completed': {
      const { turnId, stopReason, error } = event
      const openTurn = next.openTurn?.turnId === turnId ? undefined : next.openTurn
      const ending = { stopReason, ...(error && { error }) }
      return changeTurn({ ...next, openTurn }, turnId, (turn) => ({ ...withoutWaiting(turn), ending }))
    }
    case 'agent:token':
    case 'agent:reasoning':
      return changeParts(next, event.turnId, (parts) => appendText(parts, event))
    case 'agent:step_discarded':
      return changeParts(next, event.turnId, (parts) =>
        parts.filter((part) => part.kind === 'tool' || part.stepId !== event.stepId),
      )
    case 'agent:tool_call':
      return changeParts(next, event.turnId, (parts) => withCall(parts, event.call))
    case 'agent:tool_result':
      return changeParts(next, event.turnId, (parts) => withOutcome(parts, event.callId, event.outcome))
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
      return changeTurn(withOpenTurn(next, event, 'waiting'), turnId, (turn) => ({ ...turn, waitsFor }))
    }
    case 'agent:approval_answered':
      return changeTurn(withOpenTurn(next, event, 'running'), event.turnId, withoutWaiting)
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

/** Drops text under sequence numbers that the event replaces: it was never stored. */
function withoutReplaced(eventTurns: readonly EventTurn[], event: SessionEvent): readonly EventTurn[] {
  const { fromSequence } = event
  return fromSequence === undefined || isTextEvent(event)
    ? eventTurns
    : removeTextFrom(eventTurns, fromSequence)
}

const isTextEvent = (event: SessionEvent): event is TextEvent =>
  event.type === 'agent:token' || event.type === 'agent:reasoning'

type TurnScopedEvent = Extract<SessionEvent, { turnId: TurnId }>

function withOpenTurn(
  transcript: Transcript,
  { sequenceNumber, turnId }: TurnScopedEvent,
  state: OpenTurn['state'],
): Transcript {
  return sequenceNumber > transcript.openedAt ? { ...transcript, openTurn: { turnId, state } } : transcript
}

type TurnStarted = Extract<SessionEvent, { type: 'session:turn_started' }>

/** A continued turn replaces the earlier one and keeps its stored parts. */
function withTurn(
  eventTurns: readonly EventTurn[],
  { turnId, message: opening, continued, sequenceNumber: startedAt }: TurnStarted,
): readonly EventTurn[] {
  const index = continued ? eventTurns.findLastIndex((turn) => turn.opening.id === opening.id) : -1
  const earlier = eventTurns[index]
  return earlier
    ? eventTurns.with(index, { turnId, startedAt, opening, parts: withoutFailedStep(earlier) })
    : [...eventTurns, { turnId, startedAt, opening, parts: [] }]
}

function withoutWaiting(turn: EventTurn): EventTurn {
  const { waitsFor: _, ...rest } = turn
  return rest
}

const changeParts = (
  transcript: Transcript,
  turnId: TurnId,
  change: (parts: readonly EventPart[]) => readonly EventPart[],
): Transcript => changeTurn(transcript, turnId, (turn) => ({ ...turn, parts: change(turn.parts) }))

function changeTurn(
  transcript: Transcript,
  turnId: TurnId,
  change: (turn: EventTurn) => EventTurn,
): Transcript {
  const index = transcript.eventTurns.findLastIndex((turn) => turn.turnId === turnId)
  const turn = transcript.eventTurns[index]
  return turn ? { ...transcript, eventTurns: transcript.eventTurns.with(index, change(turn)) } : transcript
}

type TextEvent = Extract<SessionEvent, { type: 'agent:token' | 'agent:reasoning' }>

/** Appends text. A merged event first removes its step's text from its first number on. */
function appendText(parts: readonly EventPart[], event: TextEvent): readonly EventPart[] {
  const { stepId, sequenceNumber, fromSequence: from = sequenceNumber } = event
  const kind = event.type === 'agent:token' ? 'text' : 'reasoning'
  const text = event.type === 'agent:token' ? event.token : event.text
  const kept = event.fromSequence === undefined ? parts : cutFrom(parts, from, stepId)
  const part = kept.at(-1)
  if (part?.kind === kind && part.stepId === stepId) {
    const last = { from, text: part.last.text + text, before: part.last }
    return [...kept.slice(0, -1), { ...part, last }]
  }
  return [...kept, { kind, stepId, last: { from, text, before: undefined } }]
}

/** A repeated call (its outcome is unknown) keeps its place. */
function withCall(parts: readonly EventPart[], call: ToolCall): readonly EventPart[] {
  const index = findOpenCall(parts, call.id)
  return index < 0 ? [...parts, { kind: 'tool', call }] : parts.with(index, { kind: 'tool', call })
}

function withOutcome(
  parts: readonly EventPart[],
  callId: CallId,
  outcome: ToolOutcome,
): readonly EventPart[] {
  const index = findOpenCall(parts, callId)
  const part = parts[index]
  return part?.kind === 'tool' ? parts.with(index, { ...part, outcome }) : parts
}

/** A turn fails within a step, so the text after its last call belongs to the failed step. */
function withoutFailedStep({ parts, startedAt, ending }: EventTurn): readonly EventPart[] {
  if (ending?.stopReason !== 'error') return parts
  const lastKept = parts.findLastIndex((part) => part.kind === 'tool' || part.last.from < startedAt)
  return parts.slice(0, lastKept + 1)
}

/** The turns without text from this number on. */
function removeTextFrom(eventTurns: readonly EventTurn[], from: number): readonly EventTurn[] {
  return eventTurns.map((turn) => {
    const isHit = turn.parts.some((part) => part.kind !== 'tool' && part.last.from >= from)
    return isHit ? { ...turn, parts: cutFrom(turn.parts, from) } : turn
  })
}

function cutFrom(
  parts: readonly EventPart[],
  from: number,
  stepId?: TextEvent['stepId'],
): readonly EventPart[] {
  return parts.flatMap((part): readonly EventPart[] => {
    if (part.kind === 'tool' || (stepId !== undefined && part.stepId !== stepId)) return [part]
    let last: TextPiece | undefined = part.last
    while (last && last.from >= from) last = last.before
    return last ? [{ ...part, last }] : []
  })
}

/** The index of the call without an outcome. Some providers reuse call ids. */
const findOpenCall = (parts: readonly EventPart[], callId: CallId) =>
  parts.findIndex((part) => part.kind === 'tool' && part.call.id === callId && !part.outcome)
