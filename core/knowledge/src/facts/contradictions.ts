import type { FactId, Finding } from '@parley/contracts'
import type { ActiveFact, CandidateFact, Evaluation } from '../ports/ingest-store.ts'
import { ONE_AT_A_TIME, OPPOSITES } from './predicates.ts'

interface Contradictions {
  readonly contradictions: readonly Finding[]
  /** Candidates that a newer fact contradicts. */
  readonly outdated: readonly FactId[]
  readonly supersedes: Evaluation['supersedes']
}

/** Finds facts of a patch that contradict each other or active facts. The newer fact replaces the older one. */
export function findContradictions(
  facts: readonly CandidateFact[],
  active: readonly ActiveFact[],
): Contradictions {
  const contradictions: Finding[] = []
  const outdated = new Set<FactId>()
  const supersedes: { factId: FactId; by: FactId }[] = []
  const addFinding = (fact: CandidateFact, severity: Finding['severity'], message: string) =>
    contradictions.push({ factId: fact.id, rule: 'contradiction', severity, message })

  const positions = new Map(facts.map((fact, position) => [fact, position]))
  const rivals = groupBySubject(facts.filter(isExclusive))
  for (const fact of facts) {
    if (!isExclusive(fact)) continue
    for (const other of rivals.get(fact.subjectKey) ?? []) {
      if (other === fact || !areContradictory(other, fact)) continue
      const order = compareDates(other, fact)
      if (order === 'newer') {
        outdated.add(fact.id)
        addFinding(fact, 'note', `The same source later says: ${other.statement}`)
        break
      }
      if (order === 'unknown' && (positions.get(other) ?? 0) < (positions.get(fact) ?? 0))
        addFinding(fact, 'ask', `The same source also says: ${other.statement}`)
    }
  }

  const activeRivals = groupBySubject(active.filter(canContradict))
  for (const fact of facts) {
    if (outdated.has(fact.id)) continue
    for (const known of activeRivals.get(fact.subjectKey) ?? []) {
      if (!areContradictory(fact, known)) continue
      const isFixed = ONE_AT_A_TIME.get(fact.predicate) === 'fixed'
      const order = isFixed ? 'unknown' : compareWithKnown(fact, known)
      if (order === 'newer') {
        supersedes.push({ factId: known.id, by: fact.id })
        addFinding(fact, 'note', `Replaces: ${known.statement}`)
      } else if (order === 'older') {
        outdated.add(fact.id)
        addFinding(fact, 'note', `A newer fact is known: ${known.statement}`)
      } else addFinding(fact, 'ask', `Unclear which is newer, this or: ${known.statement}`)
    }
  }
  return {
    contradictions,
    outdated: [...outdated],
    supersedes: supersedes.filter(({ by }) => !outdated.has(by)),
  }
}

const canContradict = ({ predicate }: { readonly predicate: string }): boolean =>
  ONE_AT_A_TIME.has(predicate) || OPPOSITES.has(predicate)

const isExclusive = (fact: { readonly predicate: string }): boolean =>
  canContradict(fact) && ONE_AT_A_TIME.get(fact.predicate) !== 'mostly'

type ComparableFact = Pick<ActiveFact, 'subjectKey' | 'predicate' | 'objectKey' | 'validFrom'> & {
  readonly validTo?: string | undefined
}

type DateOrder = 'newer' | 'older' | 'unknown'

function areContradictory(a: ComparableFact, b: ComparableFact): boolean {
  if (a.subjectKey !== b.subjectKey) return false
  if (OPPOSITES.get(a.predicate) === b.predicate) return a.objectKey === b.objectKey
  if (a.predicate !== b.predicate || !ONE_AT_A_TIME.has(a.predicate)) return false
  // A fact that has ended contradicts nothing.
  if (a.validTo !== undefined || b.validTo !== undefined) return false
  return !` ${a.objectKey} `.includes(` ${b.objectKey} `) && !` ${b.objectKey} `.includes(` ${a.objectKey} `)
}

function compareDates(a: ComparableFact, b: ComparableFact): DateOrder {
  const [start, otherStart] = [a.validFrom, b.validFrom]
  if (start === undefined || otherStart === undefined) return 'unknown'
  // A year does not name a day.
  if (start.startsWith(otherStart) || otherStart.startsWith(start)) return 'unknown'
  return start > otherStart ? 'newer' : 'older'
}

/**
 * The import date says nothing about the age of a source. Without dates, only opposites such as likes and dislikes
 * replace each other.
 */
function compareWithKnown(fact: CandidateFact, known: ActiveFact): DateOrder {
  if (known.isCorrection) return 'unknown'
  if (fact.validFrom !== undefined && known.validFrom !== undefined) return compareDates(fact, known)
  return ONE_AT_A_TIME.has(fact.predicate) ? 'unknown' : 'newer'
}

function groupBySubject<Item extends { readonly subjectKey: string }>(items: readonly Item[]) {
  return Map.groupBy(items, ({ subjectKey }) => subjectKey)
}
