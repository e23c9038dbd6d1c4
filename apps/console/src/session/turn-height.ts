import type { TranscriptTurn } from '@parley/api-client'
import { textOf } from './text-of.ts'

const LINE = 27
const LETTERS_IN_LINE = 70
/** Of a turn's name, its spaces and what is said below it. */
const AROUND = 110
const TOOL = 24

/** How tall a turn is, about, before it was drawn: near enough that a scroll bar does not jump. */
export function turnHeight({ question, parts }: TranscriptTurn): number {
  const asked = question ? linesIn(textOf(question)) : 0
  const answered = parts.reduce(
    (height, part) => height + (part.kind === 'text' ? linesIn(part.text) * LINE : TOOL) + 12,
    0,
  )
  return AROUND + asked * LINE + answered
}

const linesIn = (text: string): number =>
  text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / LETTERS_IN_LINE)), 0)
