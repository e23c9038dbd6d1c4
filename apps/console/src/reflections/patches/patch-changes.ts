import { type FactChange, type Finding, type Patch, listPatchChanges } from '@parley/contracts'
import { pluralize } from '../../ui/format.ts'

export function describePatch(patch: Patch): string {
  const { changes } = listPatchChanges(patch)
  const count = (counted: FactChange['kind']) => changes.filter(({ kind }) => kind === counted).length
  const [added, repeated, leftOut] = [count('added'), count('repeated'), count('left-out')]
  return [
    `adds ${pluralize(added, 'fact')}`,
    patch.supersedes.length > 0 && `replaces ${patch.supersedes.length}`,
    repeated > 0 && `confirms ${repeated}`,
    leftOut > 0 && `skips ${leftOut}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The checks that flagged a patch, each once, the most serious first. */
export function listFlaggedRules({ findings }: Pick<Patch, 'findings'>): readonly Finding['rule'][] {
  const flagged = (['reject', 'ask'] as const).flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  )
  return [...new Set(flagged.map(({ rule }) => rule))]
}
