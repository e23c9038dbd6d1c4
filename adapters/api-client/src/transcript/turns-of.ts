import type { OpenTurn } from '@parley/contracts'
import { storedTurns } from './stored-turns.ts'
import type { ToldPart, ToldTurn } from './told-turn.ts'
import type { Transcript } from './transcript.ts'
import type { AnswerPart, TranscriptTurn, WaitingCall } from './transcript-turn.ts'

/** The turns to show, in order. Events know more of a turn than its messages do, so what they told is taken first. */
export function turnsOf(transcript: Transcript): readonly TranscriptTurn[] {
  const { messages, told, openTurn } = transcript
  const stored = storedTurns(messages)
  const byKey = new Map(stored.map((turn) => [turn.key, turn]))
  const [top] = stored
  let first = top?.key ?? 0
  // Where the messages begin within a turn that events told, that turn is shown from its opening on.
  const cut = top && !top.question && told.findLast(({ opening }) => opening.sequenceNumber < top.key)
  if (top && cut && isToldBetter(cut, top, openTurn)) {
    byKey.delete(top.key)
    first = cut.opening.sequenceNumber
  }
  for (const turn of told) {
    const key = turn.opening.sequenceNumber
    if (key >= first && isToldBetter(turn, byKey.get(key), openTurn)) byKey.set(key, toldTurn(turn))
  }
  const turns = [...byKey.values()].toSorted((a, b) => a.key - b.key)
  const last = openTurn && turns.pop()
  return last ? [...turns, openedTurn(last, openTurn.state, waitingCallIn(transcript))] : turns
}

/** While the past is still being told, its turns are known better from their messages. */
function isToldBetter(
  { turnId, ending }: ToldTurn,
  stored: TranscriptTurn | undefined,
  openTurn: OpenTurn | undefined,
): boolean {
  if (!stored) return true
  if (!ending) return turnId === openTurn?.turnId
  return !(ending.stopReason === 'error' && stored.state === 'completed')
}

/** An earlier call of the open turn may have waited too: which one waits is known once the past has been told. */
function waitingCallIn({ told, seen, openedAt, openTurn }: Transcript): WaitingCall | undefined {
  if (openTurn?.state !== 'waiting' || seen < openedAt) return undefined
  return told.findLast(({ turnId }) => turnId === openTurn.turnId)?.waitsFor
}

/** A turn that no event has changed stays the same object, so that what shows it need not be drawn again. */
const cache = new WeakMap<ToldTurn, TranscriptTurn>()

function toldTurn(turn: ToldTurn): TranscriptTurn {
  const known = cache.get(turn)
  if (known) return known
  const { opening, parts, ending } = turn
  const shown: TranscriptTurn = {
    key: opening.sequenceNumber,
    ...(opening.role === 'user' && { question: opening }),
    parts: parts.map(toldPart),
    state: ending?.stopReason ?? 'unanswered',
    ...(ending?.error && { error: ending.error }),
  }
  cache.set(turn, shown)
  return shown
}

const toldPart = (part: ToldPart): AnswerPart =>
  part.kind === 'tool' ? part : { kind: part.kind, text: part.last.text }

const openedCache = new WeakMap<TranscriptTurn, TranscriptTurn>()

function openedTurn(
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
