import type { Fact, Finding, Patch, PatchStatus } from '@parley/contracts'

/** What a patch does about one fact of it. */
export interface FactChange {
  readonly kind: 'added' | 'repeated' | 'left-out'
  readonly fact: Fact
  /** The fact that it takes the place of. */
  readonly inPlaceOf: Fact | undefined
  readonly findings: readonly Finding[]
}

export interface PatchChanges {
  readonly changes: readonly FactChange[]
  /** What it ends without it being known which fact comes in its place. */
  readonly ended: readonly Fact[]
  /** Findings of the patch as a whole. */
  readonly findings: readonly Finding[]
}

/** A patch as what it adds, in place of what, what it leaves out and what it ends. */
export function patchChanges({ status, facts, findings, supersedes }: Patch): PatchChanges {
  const known = new Set(facts.map(({ id }) => id))
  const replaced = new Set(facts.map(({ supersedesFactId }) => supersedesFactId))
  const superseded = new Map(supersedes.map((fact) => [fact.id, fact]))
  const changeOf = (fact: Fact): FactChange => {
    const inPlaceOf = fact.supersedesFactId && superseded.get(fact.supersedesFactId)
    return {
      kind: kindOf(fact, status),
      fact,
      inPlaceOf,
      // What a correction takes the place of is shown, and need not be said.
      findings: findings.filter(
        ({ factId, rule }) => factId === fact.id && !(inPlaceOf && rule === 'correction'),
      ),
    }
  }
  return {
    changes: facts.map(changeOf),
    ended: supersedes.filter(({ id }) => !replaced.has(id)),
    findings: findings.filter(({ factId }) => factId === undefined || !known.has(factId)),
  }
}

function kindOf({ state, repeatsFactId }: Fact, status: PatchStatus): FactChange['kind'] {
  if (repeatsFactId !== undefined) return 'repeated'
  return STANDS[status] && state === 'rejected' ? 'left-out' : 'added'
}

/** While a patch stands, a rejected fact of it is one that a rule left out; later all of them are rejected. */
const STANDS: Record<PatchStatus, boolean> = {
  proposed: true,
  applied: true,
  rejected: false,
  reverted: false,
}

/** How large a patch is, in one line. */
export function patchInWords(patch: Patch): string {
  const { changes } = patchChanges(patch)
  const count = (wanted: FactChange['kind']) => changes.filter(({ kind }) => kind === wanted).length
  const [added, repeated, leftOut] = [count('added'), count('repeated'), count('left-out')]
  return [
    added === 1 ? 'adds 1 fact' : `adds ${added} facts`,
    patch.supersedes.length > 0 && `supersedes ${patch.supersedes.length}`,
    repeated > 0 && `bears out ${repeated}`,
    leftOut > 0 && `leaves out ${leftOut}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The rules that spoke against something in a patch, each once; the gravest first. */
export function objectedIn({ findings }: Pick<Patch, 'findings'>): readonly Finding['rule'][] {
  const against = (['reject', 'ask'] as const).flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  )
  return [...new Set(against.map(({ rule }) => rule))]
}
