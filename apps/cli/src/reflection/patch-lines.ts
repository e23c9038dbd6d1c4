import type { Fact, Finding, Patch, PatchStatus } from '@parley/contracts'
import { inLine } from '../render/in-line.ts'
import { localTime } from '../render/local-time.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { shortId } from '../session/short-id.ts'
import { factLines } from './fact-lines.ts'

/** A patch as what it ends and adds, each with what the rules found of it. */
export function patchLines(patch: Patch, screen: ScreenLook): readonly string[] {
  const { id, status, createdAt, facts, findings, supersedes } = patch
  const known = new Set(facts.map((fact) => fact.id))
  const replaced = new Set(facts.map(({ supersedesFactId }) => supersedesFactId))
  const superseded = new Map(supersedes.map((fact) => [fact.id, fact]))
  const takes = supersedes.length > 0 ? `, in the place of ${supersedes.length}` : ''
  const lines = [
    ...findings
      .filter(({ factId }) => factId === undefined || !known.has(factId))
      .map((finding) => findingLine(finding, screen)),
    ...supersedes.filter((fact) => !replaced.has(fact.id)).map((fact) => endedLine(fact, screen)),
    ...facts.flatMap((fact) => {
      const inPlaceOf = fact.supersedesFactId && superseded.get(fact.supersedesFactId)
      return [
        ...(inPlaceOf ? [endedLine(inPlaceOf, screen)] : []),
        ...factLines(fact, screen, isLeftOut(fact, status) ? 'x' : screen.style.good('+')),
        ...findings
          // What a correction takes the place of is shown, and need not be said.
          .filter(({ factId, rule }) => factId === fact.id && !(inPlaceOf && rule === 'correction'))
          .map((finding) => `  ${findingLine(finding, screen)}`),
      ]
    }),
  ]
  const count = `${facts.length} ${facts.length === 1 ? 'fact' : 'facts'}`
  return [
    `${screen.style.bold(shortId(id))}  ${status}  ${localTime(createdAt)}  ${count}${takes}`,
    ...lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`),
  ]
}

/** What the marks of a patch mean. */
export const PATCH_MARKS = '+ is added, - is superseded, x is left out'

/** While a patch stands, a rejected fact of it is one that a rule left out; later all of them are rejected. */
const isLeftOut = ({ state }: Fact, status: PatchStatus): boolean =>
  state === 'rejected' && (status === 'proposed' || status === 'applied')

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
