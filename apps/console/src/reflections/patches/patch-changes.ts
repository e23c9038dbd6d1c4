import type { Fact, Finding, Patch, PatchStatus } from '@parley/contracts'
import { pluralize } from '../../ui/format.ts'

/** The effect of a patch on one fact. */
export interface FactChange {
  readonly kind: 'added' | 'repeated' | 'left-out'
  readonly fact: Fact
  /** The fact that it replaces. */
  readonly replaces: Fact | undefined
  readonly findings: readonly Finding[]
}

export interface PatchChanges {
  readonly changes: readonly FactChange[]
  /** Facts that it ends without a replacement. */
  readonly ended: readonly Fact[]
  /** Findings about the patch as a whole. */
  readonly findings: readonly Finding[]
}

/** Lists the facts that a patch adds, replaces, skips and ends. */
export function listPatchChanges({ status, facts, findings, supersedes }: Patch): PatchChanges {
  const known = new Set(facts.map(({ id }) => id))
  const replaced = new Set(facts.map(({ supersedesFactId }) => supersedesFactId))
  const superseded = new Map(supersedes.map((fact) => [fact.id, fact]))
  const toChange = (fact: Fact): FactChange => {
    const replaces = fact.supersedesFactId && superseded.get(fact.supersedesFactId)
    return {
      kind: getChangeKind(fact, status),
      fact,
      replaces,
      // The replaced fact is shown, so the finding about it would repeat it.
      findings: findings.filter(
        ({ factId, rule }) => factId === fact.id && !(replaces && rule === 'correction'),
      ),
    }
  }
  return {
    changes: facts.map(toChange),
    ended: supersedes.filter(({ id }) => !replaced.has(id)),
    findings: findings.filter(({ factId }) => factId === undefined || !known.has(factId)),
  }
}

function getChangeKind({ state, repeatsFactId }: Fact, status: PatchStatus): FactChange['kind'] {
  if (repeatsFactId !== undefined) return 'repeated'
  return IS_OPEN_OR_APPLIED[status] && state === 'rejected' ? 'left-out' : 'added'
}

/** In these states a rejected fact was skipped by a check; in the others every fact is rejected. */
const IS_OPEN_OR_APPLIED: Record<PatchStatus, boolean> = {
  proposed: true,
  applied: true,
  rejected: false,
  reverted: false,
}

/** The size of a patch, in one line. */
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
