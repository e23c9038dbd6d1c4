import { askedTopic, factsOn, maySay } from './topics.ts'
import { type Chosen, chooseStatements, holds, questionKind, withWithdrawal } from './choose-statements.ts'
import { asksOrWishes, sameMeaning, stemsOf } from './english.ts'
import type { WholeQuestion } from './resolve-question.ts'
import type { Material, Passage } from './material.ts'
import type { Persona } from './persona.ts'
import { type Statement, inFirstPerson, sayStatement, statementsOf, tellStatements } from './statement.ts'

export interface VisitorQuestion {
  readonly question: WholeQuestion
  readonly material: Material
  /** What the prompt states. */
  readonly facts: readonly Passage[]
  readonly persona: Persona | undefined
  readonly looksUp: boolean
  /** Earlier answers. */
  readonly told: readonly string[]
}

/** In plain short sentences: what answers, with its source, or that it is not known. */
export function answerHosted({ question, material, facts, persona, looksUp, told }: VisitorQuestion): string {
  const owner = persona?.owner
  const statements = withoutCorrected([
    ...material.found.flatMap((found, place) => statementsOf(found, place, owner)),
    ...statementsOfPrompt(facts, persona),
    ...material.said
      .filter((text) => !asksOrWishes(text))
      .flatMap((text) => statementsOf({ text, title: undefined, speaker: 'You' }, material.found.length)),
  ])
  const inOwnWords = (statement: Statement) =>
    isAddressed(question.text) || OWN_KIN.test(statement.text.slice(owner?.length))
      ? ownWordsOf(statement, owner)
      : statement
  const isNew = (statement: Statement) => addsToAnswer(sayStatement(statement, owner), question, told)

  const topic = askedTopic(question.text)
  const rows = topic ? factsOn(topic, statements, owner ?? '').map((row) => row.map(inOwnWords)) : []
  const row = rows.map((all) => all.filter(isNew)).find((all) => all.length > 0)
  if (row) return tellStatements(chooseFewFacts(row, owner), owner)

  const corrections = statements.filter(
    (statement) => isAskedFor(statement, question.text, owner) && isNew(statement),
  )
  if (corrections.length > 0) return tellStatements(chooseFewFacts(corrections.map(inOwnWords), owner), owner)

  const chosen = chooseStatements(statements, { owner, question: question.text, kindBy: question.last })
    .map(({ statement, score }) => ({ statement: inOwnWords(statement), score }))
    .filter(({ statement }) => !topic || maySay(statement.text, topic))
  const fresh = chosen.filter(({ statement }) => isNew(statement))
  if (fresh.length > 0)
    return tellStatements(withWithdrawal(chooseFew(fresh, owner), statements, question.text), owner)
  if (chosen.length > 0 || rows.length > 0) return 'That is all that my sources say about it.'
  const first = statements.filter(
    ({ corrects, place }) =>
      place === 0 && corrects?.some((start) => tellingIn(start, owner ?? '').length === 0),
  )
  if (first.length > 0) return tellStatements(first.map(inOwnWords), owner)
  if (persona && !asksOrWishes(question.last) && TELLS.test(question.last)) return heard(persona)
  return notKnown(statements, { owner, looksUp, told: told.join(' '), seed: question.text.length })
}

/** What a prompt was given before a correction was approved is not said. */
const withoutCorrected = (statements: readonly Statement[]): readonly Statement[] => {
  const corrected = statements.flatMap(({ corrects }) => corrects ?? [])
  return statements.filter(
    ({ text, place }) => place !== PLACE_OF_PROMPT || !corrected.some((start) => text.startsWith(start)),
  )
}

/** Whether a question has the words of what a correction corrects. */
function isAskedFor({ corrects = [] }: Statement, question: string, owner = ''): boolean {
  const asked = stemsOf(question)
  return corrects.some((start) => {
    const telling = tellingIn(start, owner)
    return telling.length > 0 && telling.every((stem) => asked.some((one) => sameMeaning(one, stem)))
  })
}

/** The words that identify the corrected statement; “Ada is” has none. */
function tellingIn(start: string, owner: string): readonly string[] {
  const names = new Set(stemsOf(owner))
  return stemsOf(start).filter((stem) => !names.has(stem))
}

/** Whether a question addresses the reflection; a question about "her" is answered in the third person. */
const isAddressed = (question: string): boolean =>
  /\b(?:you|your|yours|yourself)\b/i.test(question.replace(REQUEST, ''))

/** Whoever is asked about, "my sister" is said of one's own. */
const OWN_KIN = /^['’]s \p{Ll}/u

const REQUEST =
  /\b(?:can|could|will|would) you (?:please )?(?:tell|say|explain|describe|give|show)\b|\bdo you know\b/gi

const ownWordsOf = (statement: Statement, owner: string | undefined): Statement => ({
  ...statement,
  text: inFirstPerson(statement.text, owner),
})

/** Something that a person tells of themself. */
const TELLS = /^(?:I|I['’]m|my|we|our)\b/i

const heard = ({ actions }: Persona): string =>
  actions.includes('request-source-ingest')
    ? 'I see. Say "remember that" before it, and I hand it in to be kept.'
    : 'I see. What would you like to know?'

/** From a reflection's prompt only its data, without earlier conversations; from other prompts every statement. */
function statementsOfPrompt(facts: readonly Passage[], persona: Persona | undefined): readonly Statement[] {
  return facts
    .filter(({ from }) => persona === undefined || (from.label !== undefined && !TALKS.test(from.label)))
    .flatMap(({ text, from }) =>
      statementsOf(
        { text, title: from.label?.startsWith('the dossier') ? 'my dossier' : from.label },
        PLACE_OF_PROMPT,
        persona?.owner,
      ),
    )
}

const TALKS = /\bconversations?\b/

/** Behind all that was found for the question. */
const PLACE_OF_PROMPT = 8

interface Unknown {
  readonly owner: string | undefined
  readonly looksUp: boolean
  readonly told: string
  readonly seed: number
}

function notKnown(statements: readonly Statement[], { owner, looksUp, ...said }: Unknown): string {
  if (!looksUp) return 'I am sorry, I have nothing on that.'
  const nothing = 'I find nothing about that in my sources.'
  if (owner === undefined) return nothing
  const facts = statements.filter(({ isFact }) => isFact).map(({ text }) => text)
  const offer = offerFrom(facts, { owner, ...said })
  return offer === undefined ? nothing : `${nothing} I could tell you instead about ${offer}.`
}

/** Whether a sentence adds something to a follow-up question: an earlier answer does not, unless it is asked for again. */
function addsToAnswer(sentence: string, question: WholeQuestion, told: readonly string[]): boolean {
  if (question.kind === 'question') return true
  const kind = question.kind === 'more' ? 'any' : questionKind(question.last)
  if (kind !== 'any' && !holds(kind, sentence, question.last)) return false
  return (kind !== 'any' && kind !== 'reason') || !isTold(sentence, told)
}

function isTold(sentence: string, told: readonly string[]): boolean {
  const words = stemsOf(sentence)
  return told.some((answer) => {
    const said = new Set(stemsOf(answer))
    return words.every((word) => said.has(word))
  })
}

/** Something that could be told instead, in a few words, and not the same each time; undefined where nothing names a topic. */
function offerFrom(
  statements: readonly string[],
  { owner, told, seed }: { readonly owner: string; readonly told: string; readonly seed: number },
): string | undefined {
  const all = statements
    .map((statement) => inFirstPerson(statement, owner).replace(/[.!]$/, ''))
    .flatMap((statement) =>
      TOPICS.flatMap(([pattern, topic]) =>
        pattern.test(statement) ? [statement.replace(pattern, topic)] : [],
      ),
    )
    .filter((topic) => topic.length <= LONGEST)
  const topics = [...new Set(all)]
  const open = topics.filter((topic) => !told.includes(topic))
  return open[seed % open.length] ?? topics[0]
}

const LONGEST = 60

/** What a statement in the first person is about. */
const TOPICS: readonly (readonly [RegExp, string])[] = [
  [/^I play ([^,]+)$/, 'how I play $1'],
  [/^I wrote (\p{Lu}[^,]+?)(?: in \d{4})?$/u, 'what I wrote, such as $1'],
  [/^My (\p{Ll}+) (?:is|was) (\p{Lu}\p{L}+)$/u, 'my $1 $2'],
  [/^I (?:work|worked) at ([^,]+?)(?: (?:since|from|in|until) .*)?$/, 'my work at $1'],
  [/^I studied (?!at )([^,]+?)(?: (?:from|in) \d.*)?$/, 'how I studied $1'],
  [/^I was born .*$/, 'where I was born'],
  [/^I live in ([^,]+)$/, 'my life in $1'],
  [/^I (?:like|love|enjoy) ([^,]+)$/, '$1'],
  [/^I speak .*$/, 'the languages that I speak'],
]

/** The statements to say: the best, facts like it, the sentence before it, or a second one as good. */
function chooseFew(chosen: readonly Chosen[], owner: string | undefined): readonly Statement[] {
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
function chooseFewFacts(facts: readonly Statement[], owner: string | undefined): readonly Statement[] {
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

/** Sentences whose words alone do not say who or what is meant. */
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
