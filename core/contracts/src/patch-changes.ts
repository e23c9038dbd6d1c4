import type { Fact, FactState, Finding, Patch, PatchStatus } from './knowledge.ts'

export type FactStatus = FactState | 'repeated' | 'superseded'

/** A replaced fact is kept, but no longer used in answers. */
export function getFactStatus({
  state,
  supersededAt,
  repeatsFactId,
}: Pick<Fact, 'state' | 'supersededAt' | 'repeatsFactId'>): FactStatus {
  const counts = state === 'active' || repeatsFactId !== undefined
  if (counts && supersededAt !== undefined) return 'superseded'
  return repeatsFactId === undefined ? state : 'repeated'
}

/** The effect of a patch on one fact. */
export interface FactChange {
  readonly kind: 'added' | 'repeated' | 'left-out'
  readonly fact: Fact
  /** The fact that it replaces. */
  readonly replaces: Fact | undefined
  readonly findings: readonly Finding[]
}

interface PatchChanges {
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

/** The subject of each check. */
export const RULE_LABELS: Record<Finding['rule'], string> = {
  schema: 'format',
  evidence: 'evidence',
  confidence: 'confidence',
  contradiction: 'contradiction',
  injection: 'instructions to a model',
  third_party: 'about another person',
  duplicate: 'duplicate',
  correction: 'correction',
  extraction: 'extraction',
}
