import type { ApiClient } from '@parley/api-client'
import type { Fact, FactState, Finding, Patch, PatchStatus, ReflectionId, SourceId } from '@parley/contracts'
import { formatLocalTime } from '../render/output.ts'
import type { Display } from '../render/display.ts'
import { formatCount, toInlineText, wrapWords } from '../render/text.ts'
import { shortenId } from '../session/find-session.ts'
import { readAll } from './server-connection.ts'

const INDENT = '    '

type FactMark = FactState | 'repeated' | 'superseded'

const MARKS: Record<FactMark, string> = {
  active: '+',
  repeated: '=',
  superseded: '~',
  candidate: '?',
  rejected: '-',
}

export const FACT_MARKS = '+ active, = supports an equal fact, ~ replaced, ? waiting for review, - rejected'

/** The mark of a fact; replaced facts are kept but no longer used. */
export function toFactMark({ state, supersededAt, repeatsFactId }: Fact): FactMark {
  const counts = state === 'active' || repeatsFactId !== undefined
  if (counts && supersededAt !== undefined) return 'superseded'
  return repeatsFactId === undefined ? state : 'repeated'
}

/** A fact in a list: id, mark, and below it the supporting quotes with their source. */
export const renderListedFact = (fact: Fact, screen: Display, titleOf: FindTitle): readonly string[] =>
  renderFact(fact, screen, `${MARKS[toFactMark(fact)]} ${screen.style.dim(shortenId(fact.id))}`, titleOf)

/** A fact as a sentence after a mark, and below it the supporting quotes. */
function renderFact(
  { statement, confidence, validFrom, validTo, namespace, evidence }: Fact,
  { style, columns }: Display,
  mark: string,
  titleOf?: FindTitle,
): readonly string[] {
  const period = [validFrom && `since ${validFrom}`, validTo && `until ${validTo}`].filter(Boolean)
  const notes = [namespace, `${Math.round(confidence * 100)} %`, ...period].join(', ')
  const [first] = evidence
  const source = first && titleOf ? ` (${titleOf(first.sourceId)})` : ''
  return [
    `${mark} ${toInlineText(statement)} ${style.dim(`(${toInlineText(notes)})`)}`,
    ...(first ? [style.dim(indentText(toInlineText(`“${first.quote}”${source}`), columns))] : []),
  ]
}

const indentText = (text: string, columns: number): string =>
  INDENT + wrapWords(text, Math.max(20, columns - INDENT.length)).replaceAll('\n', `\n${INDENT}`)

interface PatchOptions {
  readonly titleOf: FindTitle
  /** How many changes are shown (default: all). */
  readonly most?: number
}

/** A patch: the facts it replaces and adds, each with the findings of the rules. */
export function renderPatch(
  patch: Patch,
  screen: Display,
  { titleOf, most }: PatchOptions,
): readonly string[] {
  const { id, status, createdAt, facts, findings, supersedes } = patch
  const known = new Set(facts.map((fact) => fact.id))
  const replaced = new Set(facts.map(({ supersedesFactId }) => supersedesFactId))
  const changes = [
    ...supersedes.filter((fact) => !replaced.has(fact.id)).map((fact) => [renderEndedFact(fact, screen)]),
    ...facts.map((fact) => renderChange(fact, patch, screen)),
  ]
  const shown = changes.slice(0, most)
  const rest = changes.length - shown.length
  const lines = [
    ...findings
      .filter(({ factId }) => factId === undefined || !known.has(factId))
      .map((finding) => renderFinding(finding, screen)),
    ...shown.flat(),
    ...(rest > 0 ? [screen.style.dim(`and ${rest} more`)] : []),
  ]
  const replacing = supersedes.length > 0 ? `, replacing ${supersedes.length}` : ''
  const head = [
    status,
    formatLocalTime(createdAt),
    toInlineText(patch.sourceId === undefined ? 'a correction' : titleOf(patch.sourceId)),
    formatCount(facts.length, 'fact'),
  ]
  return [
    `${screen.style.bold(shortenId(id))}  ${head.join('  ')}${replacing}`,
    ...lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`),
  ]
}

export const PATCH_MARKS = '+ added, = supports a known fact, - replaced, x left out'

function renderChange(fact: Fact, { status, findings, supersedes }: Patch, screen: Display) {
  const replacedFact = supersedes.find(({ id }) => id === fact.supersedesFactId)
  return [
    ...(replacedFact ? [renderEndedFact(replacedFact, screen)] : []),
    ...renderFact(fact, screen, chooseChangeMark(fact, status, screen)),
    ...findings
      // The fact that a correction replaces is already shown.
      .filter(({ factId, rule }) => factId === fact.id && !(replacedFact && rule === 'correction'))
      .map((finding) => `  ${renderFinding(finding, screen)}`),
  ]
}

/** While a patch is applied, its rejected facts are the ones a rule left out. */
function chooseChangeMark({ state, repeatsFactId }: Fact, status: PatchStatus, { style }: Display): string {
  if (repeatsFactId !== undefined) return '='
  const isLeftOut = state === 'rejected' && (status === 'proposed' || status === 'applied')
  return isLeftOut ? 'x' : style.good('+')
}

const renderEndedFact = ({ statement }: Fact, { style }: Display): string =>
  `${style.bad('-')} ${toInlineText(statement)}`

function renderFinding({ rule, severity, message }: Finding, { style }: Display): string {
  const line = `${RULES[rule]}: ${toInlineText(message)}`
  return severity === 'note' ? style.dim(`  ${line}`) : `${style.warn('!')} ${line}`
}

const RULES: Record<Finding['rule'], string> = {
  schema: 'form',
  evidence: 'evidence',
  confidence: 'confidence',
  contradiction: 'contradiction',
  injection: 'instructions to a model',
  third_party: 'another person',
  duplicate: 'duplicate',
  correction: 'correction',
  extraction: 'extraction method',
}

type FindTitle = (sourceId: SourceId) => string

/** The titles of the sources. A correction is a source too, but is not listed. */
export async function readSourceTitles(client: ApiClient, reflectionId: ReflectionId): Promise<FindTitle> {
  const items = await readAll((page) => client.reflections.sources({ ...page, reflectionId }))
  const titles = new Map(items.map(({ id, title }) => [id, title]))
  return (sourceId) => titles.get(sourceId) ?? 'a correction'
}
