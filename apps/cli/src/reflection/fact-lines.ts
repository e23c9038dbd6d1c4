import type { Fact, FactState } from '@parley/contracts'
import { inLine } from '../render/in-line.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { wrapWords } from '../render/wrap-words.ts'
import { shortId } from '../session/short-id.ts'
import type { TitleOf } from './source-titles.ts'

const INDENT = '    '

type Standing = FactState | 'repeated' | 'superseded'

const MARKS: Record<Standing, string> = {
  active: '+',
  repeated: '=',
  superseded: '~',
  candidate: '?',
  rejected: '-',
}

/** What the marks of facts mean. */
export const FACT_MARKS =
  '+ active, = bears out another that says the same, ~ superseded, ? waits for a person, - rejected'

/** How a fact stands: one that another took the place of is kept, and told no more. */
export function standingOf({ state, supersededAt, repeatsFactId }: Fact): Standing {
  const counts = state === 'active' || repeatsFactId !== undefined
  if (counts && supersededAt !== undefined) return 'superseded'
  return repeatsFactId === undefined ? state : 'repeated'
}

/** A fact of a list: its id, how it stands, and below it the words that bear it out, with their source. */
export const listedFactLines = (fact: Fact, screen: ScreenLook, titleOf: TitleOf): readonly string[] =>
  factLines(fact, screen, `${MARKS[standingOf(fact)]} ${screen.style.dim(shortId(fact.id))}`, titleOf)

/** A fact as a sentence after a mark, and below it the words that bear it out. */
export function factLines(
  { statement, confidence, validFrom, validTo, namespace, evidence }: Fact,
  { style, columns }: ScreenLook,
  mark: string,
  titleOf?: TitleOf,
): readonly string[] {
  const period = [validFrom && `since ${validFrom}`, validTo && `until ${validTo}`].filter(Boolean)
  const notes = [namespace, `${Math.round(confidence * 100)} %`, ...period].join(', ')
  const [first] = evidence
  const source = first && titleOf ? ` (${titleOf(first.sourceId)})` : ''
  return [
    `${mark} ${inLine(statement)} ${style.dim(`(${inLine(notes)})`)}`,
    ...(first ? [style.dim(indented(inLine(`“${first.quote}”${source}`), columns))] : []),
  ]
}

const indented = (text: string, columns: number): string =>
  INDENT + wrapWords(text, Math.max(20, columns - INDENT.length)).replaceAll('\n', `\n${INDENT}`)
