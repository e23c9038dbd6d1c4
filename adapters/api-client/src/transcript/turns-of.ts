import { storedTurns } from './stored-turns.ts'
import type { ToldPart, ToldTurn } from './told-turn.ts'
import type { Transcript } from './transcript.ts'
import type { AnswerPart, TranscriptTurn } from './transcript-turn.ts'

/** The turns to show, in order. Events know more of a turn than its messages do, so what they told is taken first. */
export function turnsOf({ messages, told, runningTurnId }: Transcript): readonly TranscriptTurn[] {
  const first = messages[0]?.sequenceNumber ?? 0
  const byKey = new Map(storedTurns(messages).map((turn) => [turn.key, turn]))
  for (const turn of told) {
    const key = turn.question.sequenceNumber
    const halfTold = !turn.ending && turn.turnId !== runningTurnId
    if (key >= first && !(halfTold && byKey.has(key))) byKey.set(key, toldTurn(turn))
  }
  const turns = [...byKey.values()].toSorted((a, b) => a.key - b.key)
  const last = runningTurnId === undefined ? undefined : turns.pop()
  return last ? [...turns, running(last)] : turns
}

/** A turn that no event has changed stays the same object, so that what shows it need not be drawn again. */
const cache = new WeakMap<ToldTurn, TranscriptTurn>()
const runningCache = new WeakMap<TranscriptTurn, TranscriptTurn>()

function toldTurn(turn: ToldTurn): TranscriptTurn {
  const known = cache.get(turn)
  if (known) return known
  const { question, parts, ending } = turn
  const shown: TranscriptTurn = {
    key: question.sequenceNumber,
    question,
    parts: parts.map(toldPart),
    state: ending?.stopReason ?? 'unanswered',
    ...(ending?.error && { error: ending.error }),
  }
  cache.set(turn, shown)
  return shown
}

const toldPart = (part: ToldPart): AnswerPart =>
  part.kind === 'tool' ? part : { kind: part.kind, text: part.last.text }

function running(turn: TranscriptTurn): TranscriptTurn {
  const shown = runningCache.get(turn) ?? { ...turn, state: 'running' as const }
  runningCache.set(turn, shown)
  return shown
}
