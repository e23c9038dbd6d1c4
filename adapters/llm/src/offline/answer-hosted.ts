import { findTopic, findTopicFacts, mayAnswer } from './topics.ts'
import {
  type ScoredStatement,
  addWithdrawal,
  chooseStatements,
  matchesKind,
  questionKind,
} from './choose-statements.ts'
import { isRequestOrWish, hasSameMeaning, stemsOf } from './english.ts'
import type { ResolvedQuestion } from './resolve-question.ts'
import type { Material, Passage } from './material.ts'
import type { Persona } from './persona.ts'
import {
  type Statement,
  toFirstPerson,
  formatStatement,
  extractStatements,
  formatStatements,
} from './statement.ts'

export interface VisitorQuestion {
  readonly question: ResolvedQuestion
  readonly material: Material
  /** Quotable passages of the prompt. */
  readonly facts: readonly Passage[]
  readonly persona: Persona | undefined
  readonly looksUp: boolean
  readonly earlierAnswers: readonly string[]
}

/** Answers in plain short sentences, with the source; or says that there is nothing. */
export function answerHosted({
  question,
  material,
  facts,
  persona,
  looksUp,
  earlierAnswers,
}: VisitorQuestion): string {
  const owner = persona?.owner
  const statements = dropCorrected([
    ...material.results.flatMap((result, place) => extractStatements(result, place, owner)),
    ...promptStatements(facts, persona),
    ...material.earlier
      .filter((text) => !isRequestOrWish(text))
      .flatMap((text) =>
        extractStatements({ text, title: undefined, speaker: 'You' }, material.results.length),
      ),
  ])
  const inOwnWords = (statement: Statement) =>
    addressesReflection(question.text) || OWN_KIN.test(statement.text.slice(owner?.length))
      ? toOwnWords(statement, owner)
      : statement
  const isNew = (statement: Statement) =>
    addsToAnswer(formatStatement(statement, owner), question, earlierAnswers)

  const topic = findTopic(question.text)
  const rows = topic ? findTopicFacts(topic, statements, owner ?? '').map((row) => row.map(inOwnWords)) : []
  const row = rows.map((all) => all.filter(isNew)).find((all) => all.length > 0)
  if (row) return formatStatements(pickFacts(row, owner), owner)

  const corrections = statements.filter(
    (statement) => correctsSubjectOf(statement, question.text, owner) && isNew(statement),
  )
  if (corrections.length > 0) return formatStatements(pickFacts(corrections.map(inOwnWords), owner), owner)

  const chosen = chooseStatements(statements, { owner, question: question.text, kindBy: question.last })
    .map(({ statement, score }) => ({ statement: inOwnWords(statement), score }))
    .filter(({ statement }) => !topic || mayAnswer(statement.text, topic))
  const fresh = chosen.filter(({ statement }) => isNew(statement))
  if (fresh.length > 0)
    return formatStatements(addWithdrawal(pickStatements(fresh, owner), statements, question.text), owner)
  if (chosen.length > 0 || rows.length > 0) return 'That is all that my sources say about it.'
  const first = statements.filter(
    ({ corrects, place }) =>
      place === 0 && corrects?.some((start) => identifyingStems(start, owner ?? '').length === 0),
  )
  if (first.length > 0) return formatStatements(first.map(inOwnWords), owner)
  if (persona && !isRequestOrWish(question.last) && TELLS.test(question.last)) return acknowledge(persona)
  return answerUnknown(statements, {
    owner,
    looksUp,
    earlier: earlierAnswers.join(' '),
    seed: question.text.length,
  })
}

/** Drops statements of the prompt that an approved correction replaces. */
const dropCorrected = (statements: readonly Statement[]): readonly Statement[] => {
  const corrected = statements.flatMap(({ corrects }) => corrects ?? [])
  return statements.filter(
    ({ text, place }) => place !== PLACE_OF_PROMPT || !corrected.some((start) => text.startsWith(start)),
  )
}

/** Whether a question has all words of a statement that this one corrects. */
function correctsSubjectOf({ corrects = [] }: Statement, question: string, owner = ''): boolean {
  const words = stemsOf(question)
  return corrects.some((start) => {
    const stems = identifyingStems(start, owner)
    return stems.length > 0 && stems.every((stem) => words.some((word) => hasSameMeaning(word, stem)))
  })
}

/** The words that identify the corrected statement; “Ada is” has none. */
function identifyingStems(start: string, owner: string): readonly string[] {
  const names = new Set(stemsOf(owner))
  return stemsOf(start).filter((stem) => !names.has(stem))
}

/** Whether a question says "you"; one about "her" is answered in the third person. */
const addressesReflection = (question: string): boolean =>
  /\b(?:you|your|yours|yourself)\b/i.test(question.replace(REQUEST, ''))

/** The owner's relatives are always "my sister", even for a question about "her". */
const OWN_KIN = /^['’]s \p{Ll}/u

const REQUEST =
  /\b(?:can|could|will|would) you (?:please )?(?:tell|say|explain|describe|give|show)\b|\bdo you know\b/gi

const toOwnWords = (statement: Statement, owner: string | undefined): Statement => ({
  ...statement,
  text: toFirstPerson(statement.text, owner),
})

/** A statement of a person about themself. */
const TELLS = /^(?:I|I['’]m|my|we|our)\b/i

const acknowledge = ({ actions }: Persona): string =>
  actions.includes('request-source-ingest')
    ? 'I see. Say "remember that" before it, and I hand it in to be kept.'
    : 'I see. What would you like to know?'

/** From a reflection's prompt only its data, without earlier conversations; from other prompts all statements. */
function promptStatements(facts: readonly Passage[], persona: Persona | undefined): readonly Statement[] {
  return facts
    .filter(({ from }) => persona === undefined || (from.label !== undefined && !TALKS.test(from.label)))
    .flatMap(({ text, from }) =>
      extractStatements(
        { text, title: from.label?.startsWith('the dossier') ? 'my dossier' : from.label },
        PLACE_OF_PROMPT,
        persona?.owner,
      ),
    )
}

const TALKS = /\bconversations?\b/

/** Ranks after all search results. */
const PLACE_OF_PROMPT = 8

interface UnknownAnswerOptions {
  readonly owner: string | undefined
  readonly looksUp: boolean
  /** The earlier answers. */
  readonly earlier: string
  readonly seed: number
}

function answerUnknown(
  statements: readonly Statement[],
  { owner, looksUp, ...rest }: UnknownAnswerOptions,
): string {
  if (!looksUp) return 'I am sorry, I have nothing on that.'
  const nothing = 'I find nothing about that in my sources.'
  if (owner === undefined) return nothing
  const facts = statements.filter(({ isFact }) => isFact).map(({ text }) => text)
  const topic = suggestTopic(facts, { owner, ...rest })
  return topic === undefined ? nothing : `${nothing} I could tell you instead about ${topic}.`
}

/** Whether a sentence is new for a follow-up question. Asking for a time or place again may repeat an answer. */
function addsToAnswer(
  sentence: string,
  question: ResolvedQuestion,
  earlierAnswers: readonly string[],
): boolean {
  if (question.kind === 'question') return true
  const kind = question.kind === 'more' ? 'any' : questionKind(question.last)
  if (kind !== 'any' && !matchesKind(kind, sentence, question.last)) return false
  return (kind !== 'any' && kind !== 'reason') || !isAlreadySaid(sentence, earlierAnswers)
}

function isAlreadySaid(sentence: string, earlierAnswers: readonly string[]): boolean {
  const words = stemsOf(sentence)
  return earlierAnswers.some((answer) => {
    const answered = new Set(stemsOf(answer))
    return words.every((word) => answered.has(word))
  })
}

/** Suggests a topic in a few words, not always the same; undefined if no statement has one. */
function suggestTopic(
  statements: readonly string[],
  { owner, earlier, seed }: { readonly owner: string; readonly earlier: string; readonly seed: number },
): string | undefined {
  const all = statements
    .map((statement) => toFirstPerson(statement, owner).replace(/[.!]$/, ''))
    .flatMap((statement) =>
      TOPICS.flatMap(([pattern, topic]) =>
        pattern.test(statement) ? [statement.replace(pattern, topic)] : [],
      ),
    )
    .filter((topic) => topic.length <= LONGEST)
  const topics = [...new Set(all)]
  const open = topics.filter((topic) => !earlier.includes(topic))
  return open[seed % open.length] ?? topics[0]
}

const LONGEST = 60

/** Turns a statement in the first person into its topic. */
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

/** Picks the best statement, with similar facts, the sentence before it, or a second statement of similar score. */
function pickStatements(chosen: readonly ScoredStatement[], owner: string | undefined): readonly Statement[] {
  const [best] = chosen
  if (!best) return []
  const first = best.statement
  const others = chosen.filter(
    ({ statement }) => statement.title === first.title && !includesWords(first, statement, owner),
  )
  const alike = findSimilarFacts(first, others, owner)
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
  if (includesWords(second, first, owner))
    return second.text.length > 2 * first.text.length ? [first] : [second]
  return inSourceOrder(first, second)
}

/** A few of the facts, without those that others include. */
function pickFacts(facts: readonly Statement[], owner: string | undefined): readonly Statement[] {
  const kept: Statement[] = []
  for (const fact of facts) {
    if (kept.some((one) => includesWords(one, fact, owner))) continue
    const included = kept.findIndex((one) => includesWords(fact, one, owner))
    if (included >= 0) kept[included] = fact
    else if (kept.length < MOST_FACTS) kept.push(fact)
  }
  return kept
}

/** A longer answer is tiring to listen to. */
const LONG = 220
const MOST_ALIKE = 3
const MOST_FACTS = 4
const AS_GOOD = 0.8

/** Begins with a pronoun that refers to the sentence before. */
const NEEDS_BEFORE = /^(?:He|She|They|It|That|This|His|Her|Their|Its)\b/

/** "I speak Dutch" beside "I speak English". */
function findSimilarFacts(
  first: Statement,
  others: readonly ScoredStatement[],
  owner: string | undefined,
): readonly Statement[] {
  const opening = openingOf(first, owner)
  if (opening === undefined) return []
  const alike = others.filter(({ statement }) => openingOf(statement, owner) === opening)
  return [...new Map(alike.map(({ statement }) => [statement.text, statement])).values()].slice(0, MOST_ALIKE)
}

const openingOf = (statement: Statement, owner: string | undefined): string | undefined =>
  statement.isFact ? OPENING.exec(formatStatement(statement, owner))?.[0] : undefined

const OPENING = /^(?:I (?!am|was|have|had)\p{L}+(?: (?:at|as|in|to))?|My \p{L}+) /u

const inSourceOrder = (one: Statement, other: Statement): readonly Statement[] =>
  one.about.around.indexOf(one.text) > one.about.around.indexOf(other.text) ? [other, one] : [one, other]

/** Whether one statement has all words of another. */
function includesWords(one: Statement, other: Statement, owner: string | undefined): boolean {
  const words = new Set(stemsOf(formatStatement(one, owner)))
  return stemsOf(formatStatement(other, owner)).every((word) => words.has(word))
}
