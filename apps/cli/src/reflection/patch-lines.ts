import type { Fact, Finding, Patch, PatchStatus } from '@parley/contracts'
import { counted } from '../render/counted.ts'
import { inLine } from '../render/in-line.ts'
import { localTime } from '../render/local-time.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { shortId } from '../session/short-id.ts'
import { factLines } from './fact-lines.ts'
import type { TitleOf } from './source-titles.ts'

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
