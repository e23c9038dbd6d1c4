import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { textOf } from './text-of.ts'

/** The turns that hold the words, whatever their case, in order. */
export function findInTurns(turns: readonly TranscriptTurn[], words: string): readonly TranscriptTurn[] {
  const wanted = words.trim().toLowerCase()
  if (wanted === '') return []
  return turns.filter((turn) => textsOf(turn).some((text) => text.toLowerCase().includes(wanted)))
}

const textsOf = ({ question, parts }: TranscriptTurn): readonly string[] => [
  ...(question ? [textOf(question)] : []),
  ...parts.flatMap(textsIn),
]

const textsIn = (part: AnswerPart): readonly string[] =>
  part.kind === 'tool'
    ? [part.call.name, JSON.stringify(part.call.input), part.outcome?.text ?? '']
    : [part.text]
