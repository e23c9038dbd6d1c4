import type { OpenTurn } from '@parley/contracts'
import {
  type AnswerPart,
  type EventPart,
  type EventTurn,
  type Transcript,
  type TranscriptTurn,
  type WaitingCall,
  toStoredTurns,
} from './transcript.ts'

/** The turns to show, in order. Events know more about a turn than its messages, so they win. */
export function listTurns(transcript: Transcript): readonly TranscriptTurn[] {
  const { messages, eventTurns, openTurn } = transcript
  const stored = toStoredTurns(messages)
  const byKey = new Map(stored.map((turn) => [turn.key, turn]))
  const [top] = stored
  let first = top?.key ?? 0
  // If the messages start within a turn known from events, show that turn from its opening.
  const cut = top && !top.question && eventTurns.findLast(({ opening }) => opening.sequenceNumber < top.key)
  if (top && cut && isEventTurnBetter(cut, top, openTurn)) {
    byKey.delete(top.key)
    first = cut.opening.sequenceNumber
  }
  for (const turn of eventTurns) {
    const key = turn.opening.sequenceNumber
    if (key >= first && isEventTurnBetter(turn, byKey.get(key), openTurn))
      byKey.set(key, toTranscriptTurn(turn))
  }
  const turns = [...byKey.values()].toSorted((a, b) => a.key - b.key)
  const last = openTurn && turns.pop()
  return last ? [...turns, toOpenedTurn(last, openTurn.state, findWaitingCall(transcript))] : turns
}

/** While past events are still loading, stored messages are more complete. */
function isEventTurnBetter(
  { turnId, ending }: EventTurn,
  stored: TranscriptTurn | undefined,
  openTurn: OpenTurn | undefined,
): boolean {
  if (!stored) return true
  if (!ending) return turnId === openTurn?.turnId
  return !(ending.stopReason === 'error' && stored.state === 'completed')
}

/** Earlier calls may have waited too, so the waiting call is known once past events are read. */
function findWaitingCall({ eventTurns, seen, openedAt, openTurn }: Transcript): WaitingCall | undefined {
  if (openTurn?.state !== 'waiting' || seen < openedAt) return undefined
  return eventTurns.findLast(({ turnId }) => turnId === openTurn.turnId)?.waitsFor
}

/** An unchanged turn stays the same object, to avoid renders. */
const cache = new WeakMap<EventTurn, TranscriptTurn>()

function toTranscriptTurn(turn: EventTurn): TranscriptTurn {
  const known = cache.get(turn)
  if (known) return known
  const { opening, parts, ending } = turn
  const shown: TranscriptTurn = {
    key: opening.sequenceNumber,
    ...(opening.role === 'user' && { question: opening }),
    parts: parts.map(toAnswerPart),
    state: ending?.stopReason ?? 'unanswered',
    ...(ending?.error && { error: ending.error }),
  }
  cache.set(turn, shown)
  return shown
}

const toAnswerPart = (part: EventPart): AnswerPart =>
  part.kind === 'tool' ? part : { kind: part.kind, text: part.last.text }

const openedCache = new WeakMap<TranscriptTurn, TranscriptTurn>()

function toOpenedTurn(
  turn: TranscriptTurn,
  state: OpenTurn['state'],
  waitsFor: WaitingCall | undefined,
): TranscriptTurn {
  const known = openedCache.get(turn)
  if (known?.state === state && known.waitsFor === waitsFor) return known
  const { error: _, ...rest } = turn
  const shown = { ...rest, state, ...(waitsFor && { waitsFor }) }
  openedCache.set(turn, shown)
  return shown
}
