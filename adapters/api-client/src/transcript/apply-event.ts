import type { OpenTurn, SessionEvent, TurnId } from '@parley/contracts'
import { type Said, say, takeBack, withCall, withOutcome, withoutFailedStep } from './told-parts.ts'
import type { ToldPart, ToldTurn } from './told-turn.ts'
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
