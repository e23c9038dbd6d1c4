import type { Fact } from '@parley/contracts'
import { neutralise } from '../render/neutralise.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { wrapWords } from '../render/wrap-words.ts'

const INDENT = '    '

/** A fact as a sentence, and below it the words that bear it out. */
export function factLines(fact: Fact, { style, columns }: ScreenLook): readonly string[] {
  const { state, statement, confidence, validFrom, validTo, namespace, evidence } = fact
  const period = [validFrom && `since ${validFrom}`, validTo && `until ${validTo}`].filter(Boolean)
  const notes = [namespace, `${Math.round(confidence * 100)} %`, ...period].join(', ')
  const mark = { active: '+', candidate: '?', rejected: '-' }[state]
  const quote = evidence[0]?.quote
  return [
    `${mark} ${inLine(statement)} ${style.dim(`(${inLine(notes)})`)}`,
    ...(quote === undefined ? [] : [style.dim(indented(`“${inLine(quote)}”`, columns))]),
  ]
}

const inLine = (text: string): string => neutralise(text).replace(/\s+/g, ' ')

const indented = (text: string, columns: number): string =>
  INDENT + wrapWords(text, Math.max(20, columns - INDENT.length)).replaceAll('\n', `\n${INDENT}`)
