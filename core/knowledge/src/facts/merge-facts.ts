import type { NewFact } from '../ports/ingest-store.ts'
import { ONE_AT_A_TIME } from './predicates.ts'

/** Of one fact. */
const MOST_EVIDENCE = 5

/** Gathers facts, each once, with all that bears it out; no more than so many. */
export function mergeFacts(most: number) {
  const gathered = new Map<string, NewFact>()
  return {
    add(fact: NewFact): void {
      const key = keyOf(fact)
      const earlier = gathered.get(key)
      if (earlier) gathered.set(key, merged(earlier, fact))
      else if (gathered.size < most) gathered.set(key, fact)
    },
    isFull: (): boolean => gathered.size >= most,
    all: (): readonly NewFact[] => [...gathered.values()],
  }
}

function keyOf({ subjectKey, predicate, objectKey, validFrom, validTo }: NewFact): string {
  const dates = ONE_AT_A_TIME.has(predicate) ? [] : [validFrom, validTo]
  return JSON.stringify([subjectKey, predicate, objectKey, ...dates])
}

/** What can change is as new as the last that was said of it. */
function merged(a: NewFact, b: NewFact): NewFact {
  const [older, newer] = (a.validFrom ?? '') <= (b.validFrom ?? '') ? [a, b] : [b, a]
  const evidence = [
    ...a.evidence,
    ...b.evidence.filter((one) => !a.evidence.some((other) => isSame(one, other))),
  ]
  return {
    ...older,
    ...newer,
    confidence: Math.max(a.confidence, b.confidence),
    evidence: evidence.slice(0, MOST_EVIDENCE),
  }
}

type Quote = NewFact['evidence'][number]

const isSame = (a: Quote, b: Quote): boolean => a.chunk === b.chunk && a.quote === b.quote
