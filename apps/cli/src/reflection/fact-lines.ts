import type { Fact, FactState } from '@parley/contracts'
import { inLine } from '../render/in-line.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { wrapWords } from '../render/wrap-words.ts'

const INDENT = '    '

type Standing = FactState | 'superseded'

const MARKS: Record<Standing, string> = { active: '+', superseded: '~', candidate: '?', rejected: '-' }

/** What the marks of facts mean. */
export const FACT_MARKS = '+ active, ~ superseded, ? waits for a person, - rejected'

/** How a fact stands: an active one that another took the place of is kept, and told no more. */
export const standingOf = ({ state, supersededAt }: Fact): Standing =>
  state === 'active' && supersededAt !== undefined ? 'superseded' : state

/** A fact as a sentence, by default marked with how it stands, and below it the words that bear it out. */
export function factLines(
  fact: Fact,
  { style, columns }: ScreenLook,
  mark = MARKS[standingOf(fact)],
): readonly string[] {
  const { statement, confidence, validFrom, validTo, namespace, evidence } = fact
  const period = [validFrom && `since ${validFrom}`, validTo && `until ${validTo}`].filter(Boolean)
  const notes = [namespace, `${Math.round(confidence * 100)} %`, ...period].join(', ')
  const quote = evidence[0]?.quote
  return [
    `${mark} ${inLine(statement)} ${style.dim(`(${inLine(notes)})`)}`,
    ...(quote === undefined ? [] : [style.dim(indented(`“${inLine(quote)}”`, columns))]),
  ]
}

const indented = (text: string, columns: number): string =>
  INDENT + wrapWords(text, Math.max(20, columns - INDENT.length)).replaceAll('\n', `\n${INDENT}`)
