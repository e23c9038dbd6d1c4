import type { CallId, SessionEvent, ToolCall, ToolOutcome } from '@parley/contracts'
import type { Piece, ToldPart, ToldTurn } from './told-turn.ts'

export type Said = Extract<SessionEvent, { type: 'agent:token' | 'agent:reasoning' }>

/** Adds what was said. A joined event first takes away what its step said from its first number on. */
export function say(parts: readonly ToldPart[], event: Said): readonly ToldPart[] {
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
export function withCall(parts: readonly ToldPart[], call: ToolCall): readonly ToldPart[] {
  const index = placeOf(parts, call.id)
  return index < 0 ? [...parts, { kind: 'tool', call }] : parts.with(index, { kind: 'tool', call })
}

export function withOutcome(
  parts: readonly ToldPart[],
  callId: CallId,
  outcome: ToolOutcome,
): readonly ToldPart[] {
  const index = placeOf(parts, callId)
  const part = parts[index]
  return part?.kind === 'tool' ? parts.with(index, { ...part, outcome }) : parts
}

/** A turn fails in the middle of a step, so what it said after its last call is what the failed step said. */
export function withoutFailedStep({ parts, startedAt, ending }: ToldTurn): readonly ToldPart[] {
  if (ending?.stopReason !== 'error') return parts
  const lastStanding = parts.findLastIndex((part) => part.kind === 'tool' || part.last.from < startedAt)
  return parts.slice(0, lastStanding + 1)
}

/** The turns without what was said under this number or a later one. */
export function takeBack(told: readonly ToldTurn[], from: number): readonly ToldTurn[] {
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
