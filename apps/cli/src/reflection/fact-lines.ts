import type { ApiClient } from '@parley/api-client'
import {
  type Fact,
  type FactChange,
  type FactStatus,
  type Finding,
  getFactStatus,
  listPatchChanges,
  type Patch,
  type ReflectionId,
  RULE_LABELS,
  type SourceId,
} from '@parley/contracts'
import { formatLocalTime } from '../render/output.ts'
import type { Display } from '../render/display.ts'
import { formatCount, toInlineText, wrapWords } from '../render/text.ts'
import { shortenId } from '../session/find-session.ts'
import { readAll } from '../read-pages.ts'

const INDENT = '    '

const MARKS: Record<FactStatus, string> = {
  active: '+',
  repeated: '=',
  superseded: '~',
  candidate: '?',
  rejected: '-',
}

export const FACT_MARKS = '+ active, = supports an equal fact, ~ replaced, ? waiting for review, - rejected'

/** A fact in a list: id, mark, and below it the supporting quotes with their source. */
export const renderListedFact = (fact: Fact, display: Display, titleOf: FindTitle): readonly string[] =>
  renderFact(fact, display, `${MARKS[getFactStatus(fact)]} ${display.style.dim(shortenId(fact.id))}`, titleOf)

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
  display: Display,
  { titleOf, most }: PatchOptions,
): readonly string[] {
  const { id, status, createdAt, facts, supersedes } = patch
  const { changes, ended, findings } = listPatchChanges(patch)
  const all = [
    ...ended.map((fact) => [renderEndedFact(fact, display)]),
    ...changes.map((change) => renderChange(change, display)),
  ]
  const shown = all.slice(0, most)
  const rest = all.length - shown.length
  const lines = [
    ...findings.map((finding) => renderFinding(finding, display)),
    ...shown.flat(),
    ...(rest > 0 ? [display.style.dim(`and ${rest} more`)] : []),
  ]
  const replacing = supersedes.length > 0 ? `, replacing ${supersedes.length}` : ''
  const head = [
    status,
    formatLocalTime(createdAt),
    toInlineText(patch.sourceId === undefined ? 'a correction' : titleOf(patch.sourceId)),
    formatCount(facts.length, 'fact'),
  ]
  return [
    `${display.style.bold(shortenId(id))}  ${head.join('  ')}${replacing}`,
    ...lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`),
  ]
}

export const PATCH_MARKS = '+ added, = supports a known fact, - replaced, x left out'

const renderChange = (
  { kind, fact, replaces, findings }: FactChange,
  display: Display,
): readonly string[] => [
  ...(replaces ? [renderEndedFact(replaces, display)] : []),
  ...renderFact(fact, display, kind === 'added' ? display.style.good('+') : CHANGE_MARKS[kind]),
  ...findings.map((finding) => `  ${renderFinding(finding, display)}`),
]

const CHANGE_MARKS = { repeated: '=', 'left-out': 'x' } as const

const renderEndedFact = ({ statement }: Fact, { style }: Display): string =>
  `${style.bad('-')} ${toInlineText(statement)}`

function renderFinding({ rule, severity, message }: Finding, { style }: Display): string {
  const line = `${RULE_LABELS[rule]}: ${toInlineText(message)}`
  return severity === 'note' ? style.dim(`  ${line}`) : `${style.warn('!')} ${line}`
}

type FindTitle = (sourceId: SourceId) => string

/** The titles of the sources. A correction is a source too, but is not listed. */
export async function readSourceTitles(client: ApiClient, reflectionId: ReflectionId): Promise<FindTitle> {
  const items = await readAll((page) => client.reflections.sources({ ...page, reflectionId }))
  const titles = new Map(items.map(({ id, title }) => [id, title]))
  return (sourceId) => titles.get(sourceId) ?? 'a correction'
}
