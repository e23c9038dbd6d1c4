import type { Chosen } from './choose-statements.ts'
import type { Statement } from './statement.ts'
import { stemsOf } from './stems-of.ts'
import { sayStatement } from './tell-statements.ts'

/** Of the statements that answer, those to say: the best, facts like it, what it goes on from, or a second one as good. */
export function fewOf(chosen: readonly Chosen[], owner: string | undefined): readonly Statement[] {
  const [best] = chosen
  if (!best) return []
  const first = best.statement
  const others = chosen.filter(
    ({ statement }) => statement.title === first.title && !says(first, statement, owner),
  )
  const alike = factsLike(first, others, owner)
  if (alike.length > 0) return [first, ...alike]
  const { before } = first
  if (
    before !== undefined &&
    before.length <= LONG &&
    NEEDS_BEFORE.test(first.text) &&
    !NEEDS_BEFORE.test(before)
  )
    return [{ ...first, text: before }, first]
  const second = others.find(
    ({ statement, score }) => statement.place === first.place && score >= best.score * AS_GOOD,
  )?.statement
  if (!second || first.text.length + second.text.length > LONG) return [first]
  if (says(second, first, owner)) return second.text.length > 2 * first.text.length ? [first] : [second]
  return inOrder(first, second)
}

/** Of facts that answer alike, a few that each say something of their own. */
export function fewFacts(facts: readonly Statement[], owner: string | undefined): readonly Statement[] {
  const kept: Statement[] = []
  for (const fact of facts) {
    const isSaid = kept.some((one) => says(one, fact, owner))
    const saysMore = kept.findIndex((one) => says(fact, one, owner))
    if (isSaid) continue
    if (saysMore >= 0) kept[saysMore] = fact
    else if (kept.length < MOST_FACTS) kept.push(fact)
  }
  return kept
}

/** No more than is listened to. */
const LONG = 220
const MOST_ALIKE = 3
const MOST_FACTS = 4
const AS_GOOD = 0.8

/** Whose words alone do not say who or what is meant. */
const NEEDS_BEFORE = /^(?:He|She|They|It|That|This|His|Her|Their|Its)\b/

/** "I speak Dutch" beside "I speak English". */
function factsLike(
  first: Statement,
  others: readonly Chosen[],
  owner: string | undefined,
): readonly Statement[] {
  const opening = openingOf(first, owner)
  if (opening === undefined) return []
  const alike = others.filter(({ statement }) => openingOf(statement, owner) === opening)
  return [...new Map(alike.map(({ statement }) => [statement.text, statement])).values()].slice(0, MOST_ALIKE)
}

const openingOf = (statement: Statement, owner: string | undefined): string | undefined =>
  statement.isFact ? OPENING.exec(sayStatement(statement, owner))?.[0] : undefined

const OPENING = /^(?:I (?!am|was|have|had)\p{L}+(?: (?:at|as|in|to))?|My \p{L}+) /u

/** As they stand in their source. */
const inOrder = (one: Statement, other: Statement): readonly Statement[] =>
  one.about.around.indexOf(one.text) > one.about.around.indexOf(other.text) ? [other, one] : [one, other]

/** Whether one statement says all that another does. */
function says(one: Statement, other: Statement, owner: string | undefined): boolean {
  const words = new Set(stemsOf(sayStatement(one, owner)))
  return stemsOf(sayStatement(other, owner)).every((word) => words.has(word))
}
