import type { FactId, Finding } from '@parley/contracts'
import type { ActiveFact, CandidateFact, Evaluation } from '../ports/ingest-store.ts'
import { ONE_AT_A_TIME, OPPOSITES } from './predicates.ts'

interface Contradictions {
  readonly contradictions: readonly Finding[]
  /** Candidates that something newer contradicts. */
  readonly outdated: readonly FactId[]
  readonly supersedes: Evaluation['supersedes']
}

/** Facts of a patch that contradict active facts or the rest of the patch; the newer replaces the older. */
export function contradictionsIn(
  facts: readonly CandidateFact[],
  active: readonly ActiveFact[],
): Contradictions {
  const contradictions: Finding[] = []
  const outdated = new Set<FactId>()
  const supersedes: { factId: FactId; by: FactId }[] = []
  const find = (fact: CandidateFact, severity: Finding['severity'], message: string) =>
    contradictions.push({ factId: fact.id, rule: 'contradiction', severity, message })

  const places = new Map(facts.map((fact, place) => [fact, place]))
  const rivals = bySubject(facts.filter(excludesOthers))
  for (const fact of facts) {
    if (!excludesOthers(fact)) continue
    for (const other of rivals.get(fact.subjectKey) ?? []) {
      if (other === fact || !isContradictedBy(other, fact)) continue
      const order = orderOf(other, fact)
      if (order === 'newer') {
        outdated.add(fact.id)
        find(fact, 'note', `The same source says later: ${other.statement}`)
        break
      }
      if (order === 'unknown' && (places.get(other) ?? 0) < (places.get(fact) ?? 0))
        find(fact, 'ask', `The same source also says: ${other.statement}`)
    }
  }

  const standing = bySubject(active.filter(canContradict))
  for (const fact of facts) {
    if (outdated.has(fact.id)) continue
    for (const known of standing.get(fact.subjectKey) ?? []) {
      if (!isContradictedBy(fact, known)) continue
      const isFixed = ONE_AT_A_TIME.get(fact.predicate) === 'fixed'
      const order = isFixed ? 'unknown' : orderAgainstKnown(fact, known)
      if (order === 'newer') {
        supersedes.push({ factId: known.id, by: fact.id })
        find(fact, 'note', `It takes the place of: ${known.statement}`)
      } else if (order === 'older') {
        outdated.add(fact.id)
        find(fact, 'note', `Something newer is known: ${known.statement}`)
      } else find(fact, 'ask', `It cannot be told which is newer, this or: ${known.statement}`)
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

const excludesOthers = (fact: { readonly predicate: string }): boolean =>
  canContradict(fact) && ONE_AT_A_TIME.get(fact.predicate) !== 'mostly'

type Comparable = Pick<ActiveFact, 'subjectKey' | 'predicate' | 'objectKey' | 'validFrom'> & {
  readonly validTo?: string | undefined
}

type Order = 'newer' | 'older' | 'unknown'

function isContradictedBy(a: Comparable, b: Comparable): boolean {
  if (a.subjectKey !== b.subjectKey) return false
  if (OPPOSITES.get(a.predicate) === b.predicate) return a.objectKey === b.objectKey
  if (a.predicate !== b.predicate || !ONE_AT_A_TIME.has(a.predicate)) return false
  // A fact that has ended contradicts nothing.
  if (a.validTo !== undefined || b.validTo !== undefined) return false
  return !` ${a.objectKey} `.includes(` ${b.objectKey} `) && !` ${b.objectKey} `.includes(` ${a.objectKey} `)
}

function orderOf(a: Comparable, b: Comparable): Order {
  const [of, than] = [a.validFrom, b.validFrom]
  if (of === undefined || than === undefined) return 'unknown'
  // A year does not name a day.
  if (of.startsWith(than) || than.startsWith(of)) return 'unknown'
  return of > than ? 'newer' : 'older'
}

/** When a source was added says nothing of when it was written. Only a mind that was changed is taken at its last word. */
function orderAgainstKnown(fact: CandidateFact, known: ActiveFact): Order {
  if (known.isCorrection) return 'unknown'
  if (fact.validFrom !== undefined && known.validFrom !== undefined) return orderOf(fact, known)
  return ONE_AT_A_TIME.has(fact.predicate) ? 'unknown' : 'newer'
}

function bySubject<Item extends { readonly subjectKey: string }>(items: readonly Item[]) {
  return Map.groupBy(items, ({ subjectKey }) => subjectKey)
}
