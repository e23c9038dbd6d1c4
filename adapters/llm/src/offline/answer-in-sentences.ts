import { isConversationOrigin, isDossierOrigin } from '@parley/contracts'
import { findTopic, findTopicFacts, mayAnswer } from './question-topics.ts'
import {
  type ScoredStatement,
  addWithdrawal,
  chooseStatements,
  matchesKind,
  findQuestionKind,
} from './choose-statements.ts'
import { isRequestOrWish, hasSameMeaning, toStems } from './english.ts'
import type { ResolvedQuestion } from './resolve-question.ts'
import type { AnswerMaterial, QuotablePassage } from './answer-material.ts'
import type { Persona } from './persona.ts'
import {
  type Statement,
  toFirstPerson,
  formatStatement,
  extractStatements,
  formatStatements,
} from './statement.ts'

export interface SentenceRequest {
  readonly question: ResolvedQuestion
  readonly material: AnswerMaterial
  /** Quotable passages of the prompt. */
  readonly facts: readonly QuotablePassage[]
  readonly persona: Persona | undefined
  readonly looksUp: boolean
  readonly earlierAnswers: readonly string[]
}

/** Answers in plain short sentences, with the source; or says that there is nothing. */
export function answerInSentences(request: SentenceRequest): string {
  const { question, persona, looksUp, earlierAnswers } = request
  const creator = persona?.creator
  const statements = collectStatements(request)
  const useOwnWords = (statement: Statement) =>
    addressesReflection(question.text) || CREATORS_KIN.test(statement.text.slice(creator?.length))
      ? toOwnWords(statement, creator)
      : statement
  const isNew = (statement: Statement) =>
    addsToAnswer(formatStatement(statement, creator), question, earlierAnswers)

  // 1. The facts that answer a common question.
  const topic = findTopic(question.text)
  const factRows = topic
    ? findTopicFacts(topic, statements, creator ?? '').map((row) => row.map(useOwnWords))
    : []
  const newFacts = factRows.map((row) => row.filter(isNew)).find((row) => row.length > 0)
  if (newFacts) return formatStatements(pickFacts(newFacts, creator), creator)

  // 2. Approved corrections of the question's subject.
  const corrections = statements.filter(
    (statement) => correctsSubjectOf(statement, question.text, creator) && isNew(statement),
  )
  if (corrections.length > 0)
    return formatStatements(pickFacts(corrections.map(useOwnWords), creator), creator)

  // 3. The statements that cover the question best.
  const chosen = chooseStatements(statements, { creator, question: question.text, kindText: question.last })
    .map(({ statement, score }) => ({ statement: useOwnWords(statement), score }))
    .filter(({ statement }) => !topic || mayAnswer(statement.text, topic))
  const newStatements = chosen.filter(({ statement }) => isNew(statement))
  if (newStatements.length > 0)
    return formatStatements(
      addWithdrawal(pickStatements(newStatements, creator), statements, question.text),
      creator,
    )
  if (chosen.length > 0 || factRows.length > 0) return 'That is all that my sources say about it.'

  // 4. Corrections without a subject in the best search result.
  const unspecific = statements.filter(
    ({ corrects, rank }) =>
      rank === 0 && corrects?.some((start) => findIdentifyingStems(start, creator ?? '').length === 0),
  )
  if (unspecific.length > 0) return formatStatements(unspecific.map(useOwnWords), creator)

  if (persona && !isRequestOrWish(question.last) && SAYS_ABOUT_SELF.test(question.last))
    return acknowledgeStatement(persona)
  return answerUnknown(statements, {
    creator,
    looksUp,
    earlier: earlierAnswers.join(' '),
    seed: question.text.length,
  })
}

/** The statements of the search results, the prompt and the person's earlier messages. */
function collectStatements({ material, facts, persona }: SentenceRequest): readonly Statement[] {
  const creator = persona?.creator
  return dropCorrected([
    ...material.results.flatMap((result, rank) => extractStatements(result, rank, creator)),
    ...extractPromptStatements(facts, persona),
    ...material.earlier
      .filter((text) => !isRequestOrWish(text))
      .flatMap((text) =>
        extractStatements({ text, title: undefined, speaker: 'You' }, material.results.length),
      ),
  ])
}

/** Drops statements of the prompt that an approved correction replaces. */
const dropCorrected = (statements: readonly Statement[]): readonly Statement[] => {
  const corrected = statements.flatMap(({ corrects }) => corrects ?? [])
  return statements.filter(
    ({ text, rank }) => rank !== PROMPT_RANK || !corrected.some((start) => text.startsWith(start)),
  )
}

/** Whether a question has all words of a statement that this one corrects. */
function correctsSubjectOf({ corrects = [] }: Statement, question: string, creator = ''): boolean {
  const words = toStems(question)
  return corrects.some((start) => {
    const stems = findIdentifyingStems(start, creator)
    return stems.length > 0 && stems.every((stem) => words.some((word) => hasSameMeaning(word, stem)))
  })
}

/** The words that identify the corrected statement; “Ada is” has none. */
function findIdentifyingStems(start: string, creator: string): readonly string[] {
  const names = new Set(toStems(creator))
  return toStems(start).filter((stem) => !names.has(stem))
}

/** Whether a question says "you"; one about "her" is answered in the third person. */
const addressesReflection = (question: string): boolean =>
  /\b(?:you|your|yours|yourself)\b/i.test(question.replace(REQUEST, ''))

/** The creator's relatives are always "my sister", even for a question about "her". */
const CREATORS_KIN = /^['’]s \p{Ll}/u

const REQUEST =
  /\b(?:can|could|will|would) you (?:please )?(?:tell|say|explain|describe|give|show)\b|\bdo you know\b/gi

const toOwnWords = (statement: Statement, creator: string | undefined): Statement => ({
  ...statement,
  text: toFirstPerson(statement.text, creator),
})

/** A statement of a person about themself. */
const SAYS_ABOUT_SELF = /^(?:I|I['’]m|my|we|our)\b/i

const acknowledgeStatement = ({ actions }: Persona): string =>
  actions.includes('request-source-ingest')
    ? 'I see. Say "remember that" before it, and I will suggest it as a new fact.'
    : 'I see. What would you like to know?'

/** From a reflection's prompt only its data, without earlier conversations; from other prompts all statements. */
function extractPromptStatements(
  facts: readonly QuotablePassage[],
  persona: Persona | undefined,
): readonly Statement[] {
  return facts
    .filter(
      ({ from: { label } }) => persona === undefined || (label !== undefined && !isConversationOrigin(label)),
    )
    .flatMap(({ text, from: { label } }) =>
      extractStatements(
        { text, title: label !== undefined && isDossierOrigin(label) ? 'my dossier' : label },
        PROMPT_RANK,
        persona?.creator,
      ),
    )
}

/** Ranks after all search results. */
const PROMPT_RANK = 8

interface UnknownAnswerOptions {
  readonly creator: string | undefined
  readonly looksUp: boolean
  /** The earlier answers. */
  readonly earlier: string
  readonly seed: number
}

function answerUnknown(
  statements: readonly Statement[],
  { creator, looksUp, ...rest }: UnknownAnswerOptions,
): string {
  if (!looksUp) return 'I am sorry, I have nothing on that.'
  const nothing = 'I find nothing about that in my sources.'
  if (creator === undefined) return nothing
  const facts = statements.filter(({ isFact }) => isFact).map(({ text }) => text)
  const topic = suggestTopic(facts, { creator, ...rest })
  return topic === undefined ? nothing : `${nothing} I could tell you instead about ${topic}.`
}

/** Whether a sentence is new for a follow-up question. Asking for a time or place again may repeat an answer. */
function addsToAnswer(
  sentence: string,
  question: ResolvedQuestion,
  earlierAnswers: readonly string[],
): boolean {
  if (question.kind === 'question') return true
  const kind = question.kind === 'more' ? 'any' : findQuestionKind(question.last)
  if (kind !== 'any' && !matchesKind(kind, sentence, question.last)) return false
  return (kind !== 'any' && kind !== 'reason') || !isAlreadySaid(sentence, earlierAnswers)
}

function isAlreadySaid(sentence: string, earlierAnswers: readonly string[]): boolean {
  const words = toStems(sentence)
  return earlierAnswers.some((answer) => {
    const answered = new Set(toStems(answer))
    return words.every((word) => answered.has(word))
  })
}

/** Suggests a topic in a few words, not always the same; undefined if no statement has one. */
function suggestTopic(
  statements: readonly string[],
  { creator, earlier, seed }: { readonly creator: string; readonly earlier: string; readonly seed: number },
): string | undefined {
  const all = statements
    .map((statement) => toFirstPerson(statement, creator).replace(/[.!]$/, ''))
    .flatMap((statement) =>
      TOPIC_PHRASES.flatMap(([pattern, topic]) =>
        pattern.test(statement) ? [statement.replace(pattern, topic)] : [],
      ),
    )
    .filter((topic) => topic.length <= MAX_LENGTH)
  const topics = [...new Set(all)]
  const open = topics.filter((topic) => !earlier.includes(topic))
  return open[seed % open.length] ?? topics[0]
}

const MAX_LENGTH = 60

/** Turns a statement in the first person into its topic. */
const TOPIC_PHRASES: readonly (readonly [RegExp, string])[] = [
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
function pickStatements(
  chosen: readonly ScoredStatement[],
  creator: string | undefined,
): readonly Statement[] {
  const [best] = chosen
  if (!best) return []
  const first = best.statement
  const others = chosen.filter(
    ({ statement }) => statement.title === first.title && !includesWords(first, statement, creator),
  )
  const alike = findSimilarFacts(first, others, creator)
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
    ({ statement, score }) => statement.rank === first.rank && score >= best.score * AS_GOOD,
  )?.statement
  if (!second || first.text.length + second.text.length > LONG) return [first]
  if (includesWords(second, first, creator))
    return second.text.length > 2 * first.text.length ? [first] : [second]
  return sortByPosition(first, second)
}

/** A few of the facts, without those that others include. */
function pickFacts(facts: readonly Statement[], creator: string | undefined): readonly Statement[] {
  const kept: Statement[] = []
  for (const fact of facts) {
    if (kept.some((one) => includesWords(one, fact, creator))) continue
    const included = kept.findIndex((one) => includesWords(fact, one, creator))
    if (included >= 0) kept[included] = fact
    else if (kept.length < MAX_FACTS) kept.push(fact)
  }
  return kept
}

/** A longer answer is tiring to listen to. */
const LONG = 220
const MAX_ALIKE = 3
const MAX_FACTS = 4
const AS_GOOD = 0.8

/** Begins with a pronoun that refers to the sentence before. */
const NEEDS_BEFORE = /^(?:He|She|They|It|That|This|His|Her|Their|Its)\b/

/** "I speak Dutch" beside "I speak English". */
function findSimilarFacts(
  first: Statement,
  others: readonly ScoredStatement[],
  creator: string | undefined,
): readonly Statement[] {
  const opening = findOpening(first, creator)
  if (opening === undefined) return []
  const alike = others.filter(({ statement }) => findOpening(statement, creator) === opening)
  return [...new Map(alike.map(({ statement }) => [statement.text, statement])).values()].slice(0, MAX_ALIKE)
}

const findOpening = (statement: Statement, creator: string | undefined): string | undefined =>
  statement.isFact ? OPENING.exec(formatStatement(statement, creator))?.[0] : undefined

const OPENING = /^(?:I (?!am|was|have|had)\p{L}+(?: (?:at|as|in|to))?|My \p{L}+) /u

const sortByPosition = (one: Statement, other: Statement): readonly Statement[] =>
  one.context.wholeText.indexOf(one.text) > one.context.wholeText.indexOf(other.text)
    ? [other, one]
    : [one, other]

/** Whether one statement has all words of another. */
function includesWords(one: Statement, other: Statement, creator: string | undefined): boolean {
  const words = new Set(toStems(formatStatement(one, creator)))
  return toStems(formatStatement(other, creator)).every((word) => words.has(word))
}
