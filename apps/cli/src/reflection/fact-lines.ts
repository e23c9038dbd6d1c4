import type { ApiClient } from '@parley/api-client'
import type { Fact, FactState, Finding, Patch, PatchStatus, ReflectionId, SourceId } from '@parley/contracts'
import { localTime } from '../render/output.ts'
import type { ScreenLook } from '../render/screen-look.ts'
import { counted, inLine, wrapWords } from '../render/text.ts'
import { shortId } from '../session/find-session.ts'
import { upTo } from './at-server.ts'

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
function factLines(
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

interface PatchLook {
  readonly titleOf: TitleOf
  /** How many changes are shown; all where absent. */
  readonly most?: number
}

/** A patch as what it ends and adds, each with what the rules found of it. */
export function patchLines(
  patch: Patch,
  screen: ScreenLook,
  { titleOf, most }: PatchLook,
): readonly string[] {
  const { id, status, createdAt, facts, findings, supersedes } = patch
  const known = new Set(facts.map((fact) => fact.id))
  const replaced = new Set(facts.map(({ supersedesFactId }) => supersedesFactId))
  const changes = [
    ...supersedes.filter((fact) => !replaced.has(fact.id)).map((fact) => [endedLine(fact, screen)]),
    ...facts.map((fact) => changeLines(fact, patch, screen)),
  ]
  const shown = changes.slice(0, most)
  const rest = changes.length - shown.length
  const lines = [
    ...findings
      .filter(({ factId }) => factId === undefined || !known.has(factId))
      .map((finding) => findingLine(finding, screen)),
    ...shown.flat(),
    ...(rest > 0 ? [screen.style.dim(`and ${rest} more`)] : []),
  ]
  const takes = supersedes.length > 0 ? `, in the place of ${supersedes.length}` : ''
  const head = [status, localTime(createdAt), inLine(nameOf(patch, titleOf)), counted(facts.length, 'fact')]
  return [
    `${screen.style.bold(shortId(id))}  ${head.join('  ')}${takes}`,
    ...lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`),
  ]
}

/** What the marks of a patch mean. */
export const PATCH_MARKS = '+ is added, = bears out what is known, - is superseded, x is left out'

const nameOf = ({ sourceId }: Patch, titleOf: TitleOf): string =>
  sourceId === undefined ? 'a correction' : titleOf(sourceId)

function changeLines(fact: Fact, { status, findings, supersedes }: Patch, screen: ScreenLook) {
  const inPlaceOf = supersedes.find(({ id }) => id === fact.supersedesFactId)
  return [
    ...(inPlaceOf ? [endedLine(inPlaceOf, screen)] : []),
    ...factLines(fact, screen, markOf(fact, status, screen)),
    ...findings
      // What a correction takes the place of is shown, and need not be said.
      .filter(({ factId, rule }) => factId === fact.id && !(inPlaceOf && rule === 'correction'))
      .map((finding) => `  ${findingLine(finding, screen)}`),
  ]
}

/** While a patch stands, a rejected fact of it is one that a rule left out; later all of them are rejected. */
function markOf({ state, repeatsFactId }: Fact, status: PatchStatus, { style }: ScreenLook): string {
  if (repeatsFactId !== undefined) return '='
  const isLeftOut = state === 'rejected' && (status === 'proposed' || status === 'applied')
  return isLeftOut ? 'x' : style.good('+')
}

const endedLine = ({ statement }: Fact, { style }: ScreenLook): string =>
  `${style.bad('-')} ${inLine(statement)}`

function findingLine({ rule, severity, message }: Finding, { style }: ScreenLook): string {
  const said = `${RULES[rule]}: ${inLine(message)}`
  return severity === 'note' ? style.dim(`  ${said}`) : `${style.warn('!')} ${said}`
}

/** What a rule looks at. */
const RULES: Record<Finding['rule'], string> = {
  schema: 'form',
  evidence: 'evidence',
  confidence: 'confidence',
  contradiction: 'contradiction',
  injection: 'words for a model',
  third_party: 'somebody else',
  duplicate: 'said before',
  correction: 'correction',
  extraction: 'how facts were found',
}

type TitleOf = (sourceId: SourceId) => string

/** The titles of a reflection's sources. What a person said is a source too, which is on no list. */
export async function sourceTitles(client: ApiClient, reflectionId: ReflectionId): Promise<TitleOf> {
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.sources({ ...page, reflectionId }),
  )
  const titles = new Map(items.map(({ id, title }) => [id, title]))
  return (sourceId) => titles.get(sourceId) ?? 'a correction'
}
