import type { SessionEvent } from '@parley/contracts'
import type { Piece, ToldPart, ToldTurn } from './told-turn.ts'
import type { Transcript } from './transcript.ts'

/** The transcript after one more event. An event that was taken in before changes nothing. */
export function applyEvent(transcript: Transcript, event: SessionEvent): Transcript {
  if (event.sequenceNumber <= transcript.seen) return transcript
  const next = { ...transcript, seen: event.sequenceNumber }
  switch (event.type) {
    case 'session:turn_started': {
      const { turnId, message: question, sequenceNumber } = event
      const runningTurnId = sequenceNumber > next.openedAt ? turnId : next.runningTurnId
      const kept = event.fromSequence === undefined ? next.told : takeBack(next.told, event.fromSequence)
      return { ...next, told: [...kept, { turnId, question, parts: [] }], runningTurnId }
    }
    case 'session:turn_completed': {
      const { turnId, stopReason, error } = event
      const runningTurnId = next.runningTurnId === turnId ? undefined : next.runningTurnId
      const ending = { stopReason, ...(error && { error }) }
      return inTurn({ ...next, runningTurnId }, turnId, (turn) => ({ ...turn, ending }))
    }
    case 'agent:token':
    case 'agent:reasoning':
      return inTurn(next, event.turnId, (turn) => ({ ...turn, parts: say(turn.parts, event) }))
    case 'agent:step_discarded':
      return inTurn(next, event.turnId, (turn) => ({
        ...turn,
        parts: turn.parts.filter((part) => part.kind === 'tool' || part.stepId !== event.stepId),
      }))
    case 'agent:tool_call':
      return inTurn(next, event.turnId, (turn) => ({
        ...turn,
        parts: [...turn.parts, { kind: 'tool', call: event.call }],
      }))
    case 'agent:tool_result':
      return inTurn(next, event.turnId, (turn) => ({
        ...turn,
        parts: turn.parts.map((part) =>
          part.kind === 'tool' && part.call.id === event.callId ? { ...part, outcome: event.outcome } : part,
        ),
      }))
    case 'agent:approval_requested':
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

function inTurn(
  transcript: Transcript,
  turnId: ToldTurn['turnId'],
  change: (turn: ToldTurn) => ToldTurn,
): Transcript {
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

/** What was said under numbers that a later event stands for was never stored: it died with its process. */
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
