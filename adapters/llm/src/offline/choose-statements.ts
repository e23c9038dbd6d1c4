import { MONTHS, NUMBER_WORDS } from '@parley/contracts'
import { hasSameMeaning, toStems } from './english.ts'
import { type Statement, isCreator } from './statement.ts'

export interface StatementQuery {
  /** The person that the texts are about, if known. */
  readonly creator?: string | undefined
  readonly question: string
  /** Decides the kind of answer; the question if absent. */
  readonly kindText?: string
}

export interface ScoredStatement {
  readonly statement: Statement
  readonly score: number
}

/** The statements that answer a question, best first. A statement must cover enough of the question's words. */
export function chooseStatements(
  statements: readonly Statement[],
  query: StatementQuery,
): readonly ScoredStatement[] {
  const findStems = createStemFinder(new Set(toStems(unifyGrowingUp(query.question))))
  const candidates = statements.map((statement) => ({
    statement,
    wordsByDistance: listContextTexts(statement).map(findStems),
  }))
  const parts = splitQuestion(query.question).map((part) => ({
    weights: weighWords(unifyGrowingUp(part), candidates, query.creator ?? ''),
    kind: findQuestionKind(query.kindText ?? part),
  }))
  return candidates
    .map((candidate) => ({
      statement: candidate.statement,
      score: Math.max(...parts.map((part) => scoreStatement(candidate, part, query))),
    }))
    .filter(({ score }) => score >= MIN_COVER)
    .toSorted((a, b) => b.score - a.score)
}

/** The share of the question that a statement must cover. */
const MIN_COVER = 0.51

/** The whole question; and its first part, if it asks several things. */
function splitQuestion(question: string): readonly string[] {
  const [first = question] = question.split(ALSO_ASKED)
  return first === question ? [question] : [question, first]
}

const ALSO_ASKED =
  /,? and (?=(?:from |to |for |with )?(?:what|when|where|whom?|why|how|which)\b)|, (?=how\b|what\b|who\b)/i

interface StatementWords {
  readonly statement: Statement
  /** The question's words in the statement itself, then in each text of its context, the nearest first. */
  readonly wordsByDistance: readonly ReadonlySet<string>[]
}

const listContextTexts = ({ text, context }: Statement): readonly string[] => [
  text,
  `${context.question} ${findImpliedTopics(text)}`,
  context.previousSentence,
  context.headings,
  context.wholeText,
]

/** The weight of a word, by the distance of its text. */
const DISTANCE_WEIGHTS: readonly number[] = [1, 0.85, 0.55, 0.5, 0.45]

/** Finds which of the stems a text has. Many statements share a text, so each is read once. */
function createStemFinder(stems: ReadonlySet<string>): (text: string) => ReadonlySet<string> {
  const read = new Map<string, ReadonlySet<string>>()
  return (text) => {
    const known = read.get(text)
    if (known) return known
    const words = new Set(toStems(unifyGrowingUp(text)))
    const matches = new Set(
      [...stems].filter((stem) => words.has(stem) || [...words].some((word) => hasSameMeaning(stem, word))),
    )
    read.set(text, matches)
    return matches
  }
}

type Weights = ReadonlyMap<string, keyof typeof WORD_WEIGHTS>

function weighWords(question: string, read: readonly StatementWords[], creator: string): Weights {
  const named = new Set(toStems(creator))
  const classes = new Set([...question.matchAll(KIND_OF_THING)].flatMap(([, words = '']) => toStems(words)))
  const stems = [...new Set(toStems(question.replace(IDIOMS, ' ')))].filter((stem) => !named.has(stem))
  // "What do you like?" has only light words, so they count in full.
  const isLight = (stem: string) => LIGHT_STEMS.has(stem) && !stems.every((one) => LIGHT_STEMS.has(one))
  return new Map(
    stems.map((stem) => {
      if (isLight(stem)) return [stem, 'light']
      if (classes.has(stem)) return [stem, 'kindOfThing']
      const isThere = read.some(({ wordsByDistance }) => wordsByDistance.some((words) => words.has(stem)))
      return [stem, isThere ? 'plain' : 'missing']
    }),
  )
}

/** A word that no statement has weighs most: an answer without it misses the point. */
const WORD_WEIGHTS = { light: 0.35, kindOfThing: 1, kindInFact: 0.6, plain: 1, missing: 1.5 } as const

/** "Which languages": answers rarely contain the word "languages". */
const KIND_OF_THING =
  /\b(?:which|what) (?!(?:is|are|was|were|do|does|did|has|have|can|will|would)\b)(\p{L}+(?: \p{L}+)?)/giu

/** Phrases that ask without naming a subject. */
const IDIOMS =
  /(?<=\p{L})['’]s (?:job|work|profession|occupation)\b|\b(?:for a living|for work|in (?:your|her|his) (?:view|opinion)|your (?:views?|opinion|thoughts|position)|these days|nowadays|today|what happened|made you|do you (?:think|know)|can you tell me|tell me|there (?:is|are)|(?:is|are) there|does (?=.{1,40} work\?))\b|(?<=\bhow does .{1,40}) work\b/giu

const LIGHT_STEMS: ReadonlySet<string> = new Set(
  toStems(
    'many much long old often ever really still now first last time year years day days kind sort thing things think good ' +
      'best better like want go come make take use mean happen new once become big favourite one two three part exactly ' +
      'way people person life called call town city place number',
  ),
)

function scoreStatement(
  { statement, wordsByDistance }: StatementWords,
  { weights, kind }: { readonly weights: Weights; readonly kind: QuestionKind },
  { question, creator = '' }: StatementQuery,
): number {
  let covered = 0
  let all = 0
  for (const [stem, given] of weights) {
    // A fact says "speaks Dutch", not that Dutch is a language.
    const weight = WORD_WEIGHTS[statement.isFact && given === 'kindOfThing' ? 'kindInFact' : given]
    all += weight
    const distance = wordsByDistance.findIndex((words) => words.has(stem))
    covered += weight * (DISTANCE_WEIGHTS[distance] ?? 0)
  }
  if (all < WORD_WEIGHTS.kindInFact) return 0
  // "He died in 2001" is about the person in the sentence before.
  const close = wordsByDistance.slice(
    0,
    /^(?:He|She|They|It|That|This|His|Her)\b/.test(statement.text) ? 3 : 2,
  )
  const isAbout = [...weights].some(
    ([stem, weight]) => weight !== 'light' && close.some((words) => words.has(stem)),
  )
  const cover = isAbout ? covered / all : 0
  return cover < MIN_COVER
    ? 0
    : cover *
        rateKind(kind, question, statement.text) *
        rateSource(statement) *
        rateView(statement.text, question) *
        rateSubject(statement, question, creator)
}

function rateKind(kind: QuestionKind, question: string, text: string): number {
  if (kind === 'any' && /^\W*what\b/i.test(question) && /\b(?:studied|works?|worked) at\b/.test(text))
    return 0.9
  if (kind === 'any') return KIN.test(text) && !/\b(?:name|called|have|who)\b/i.test(question) ? 0.8 : 1
  const presents =
    kind === 'person' && /^\W*who(?:['’]s| is| was| are)\b/i.test(question) && INTRODUCES.test(text)
  return (matchesKind(kind, text, question) ? 1.25 : 0.7) * (presents ? 1.15 : 1)
}

/** Only names a relative. */
const KIN = /['’]s \p{Ll}+ is \p{Lu}\p{L}+\.?$/u
/** "Ada, who …", "my aunt Ada", "a girl named Ada". */
const INTRODUCES =
  /\p{Lu}\p{L}+, who\b|\bmy \p{Ll}+ \p{Lu}|\b(?:named|called)\b|\p{Lu}\p{L}+ (?:is|was) (?:a|an|the|my)\b/u

/** Facts first, then the earlier search results. */
const rateSource = ({ isFact, rank, text }: Statement): number =>
  (isFact ? 1.15 : 1) * (1 - Math.min(rank, 10) * 0.015) * (/^["“]/.test(text) ? 0.85 : 1)

/** Subject match score: for a question about "you", statements about others score low. */
function rateSubject(
  { text, speaker }: Pick<Statement, 'text' | 'speaker'>,
  question: string,
  creator: string,
): number {
  const isOwn = speaker !== undefined && isCreator(speaker, creator)
  const asksYou = ASKS_YOU.test(question)
  if (speaker !== undefined && creator !== '' && !isOwn) return asksYou && FIRST_PERSON.test(text) ? 0.4 : 0.8
  const yours = /\byour (\p{L}+)/iu.exec(question)?.[1]
  if (yours !== undefined && new RegExp(String.raw`(?:\bmy|['’]s) ${yours}\b`, 'iu').test(text)) return 1.15
  if (!asksYou) return 1
  if (OTHERS.test(text)) return 0.35
  if (FIRST_PERSON.test(text) || (creator !== '' && text.startsWith(creator))) return 1.1
  return isOwn || creator === '' || !NAMED.test(text) ? 1 : 0.7
}

const ASKS_YOU =
  /\b(?:are|were|do|did|have|had|can|could|will|would|should) you\b|\byou (?:were|are|have|had)\b/i
const FIRST_PERSON = /\b(?:I|me|my|we|our|us|mine)\b|^(?:My|We|Our)\b/
const OTHERS =
  /^(?:He|She|They|His|Her|Their)\b|^\p{Lu}\p{L}+ (?:is|was|has|had|lives|works)\b(?!.*\b(?:I|me|my)\b)/u
/** Begins with a name and a verb. */
const NAMED =
  /^(?!(?:The|A|An|It|There|This|That|These|In|On|At|By|With|When|After|Before|For|From|No|Not|Next|All|One|Two)\b)\p{Lu}\p{L}+ \p{Ll}/u

/** What an answer must contain. */
type QuestionKind = 'place' | 'time' | 'person' | 'age' | 'number' | 'reason' | 'any'

/** The kind of the first question word. */
export function findQuestionKind(question: string): QuestionKind {
  const matches = KINDS.flatMap(([kind, pattern]) => {
    const at = question.search(pattern)
    return at < 0 ? [] : [{ kind, at }]
  })
  return matches.toSorted((a, b) => a.at - b.at)[0]?.kind ?? 'any'
}

/** Whether a text contains such an answer; for "how many boats", boats with their number. */
export function matchesKind(kind: QuestionKind, text: string, question: string): boolean {
  if (!KIND_PATTERNS[kind].test(text)) return false
  const counted = /\bhow many ((?:\p{L}+ ){1,3})/iu.exec(question)?.[1]?.trim().split(' ') ?? []
  return counted.length === 0 || counted.some((word) => createCountPattern(word).test(text))
}

const createCountPattern = (word: string): RegExp =>
  new RegExp(
    String.raw`(?:\d|\b(?:${NUMBER})[\p{L}-]*)(?: \p{L}+){0,2} ${word.slice(0, STEM)}|\b${word.slice(0, STEM)}\p{L}*: .*(?:\d|${NUMBER})`,
    'iu',
  )

const STEM = 5

const KINDS: readonly (readonly [QuestionKind, RegExp])[] = [
  ['place', /\bwhere\b|\b(?:in )?(?:which|what) (?:town|city|country|place|street|village|island)\b/i],
  ['time', /\bwhen\b|\b(?:which|what) (?:year|month|day|date)\b|\b(?:since|until) when\b|\bbirthday\b/i],
  ['person', /\bwho(?:m|se)?\b|\b(?:which|what) (?:person|student|colleague|friend)\b/i],
  ['age', /\bhow old\b|\bwhat age\b/i],
  [
    'number',
    /\bhow (?:many|much|long|often|far|big|tall|large|deep|high|hot)\b|\bwhat (?:number|price|share)\b/i,
  ],
  ['reason', /\bwhy\b|\bhow come\b|\bfor what reason\b|\bwhat (?:is the )?(?:medical )?reason\b/i],
  ['any', /\b(?:what|which|how)\b/i],
]

const MONTH = MONTHS.join('|')
const NUMBER = `${NUMBER_WORDS.join('|')}|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|dozen|half|third|quarter|twice|once`

const KIND_PATTERNS: Readonly<Record<QuestionKind, RegExp>> = {
  place: new RegExp(
    String.raw`\b(?:in|at|to|from|near|on|over|of|off|by|behind|under|above)(?: (?:the|a|an|my|our|his|her|their))?(?: \p{Ll}+){0,2} (?!(?:${MONTH})\b)\p{Lu}\p{L}+|, \p{Lu}\p{L}+,|\b(?:behind|under|above|beside|next to|on the|in the|at the)\b`,
    'u',
  ),
  time: new RegExp(
    String.raw`\b(?:1[5-9]|20)\d\d\b|\b(?:${MONTH})\b|\b\d{1,2}:\d\d\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:spring|summer|autumn|winter|Christmas|Easter)\b`,
    'u',
  ),
  person:
    /(?<=\S )\p{Lu}\p{L}+|\b(?:mother|father|sister|brother|daughter|son|aunt|uncle|cousin|wife|husband|friend|girl|boy|woman|man|club|people)\b/u,
  age: new RegExp(String.raw`\bages?\b|\bold\b|\b(?:am|is|was|be) (?:${NUMBER})`, 'iu'),
  // A year is not a number of things.
  number: new RegExp(String.raw`(?<![\d-])(?!(?:1[5-9]|20)\d\d\b)\d|\b(?:${NUMBER})`, 'iu'),
  reason:
    /\b(?:because|since|so that|in order to|owing to|due to|reason|therefore|for the sake)\b|\bfor (?:he|she|it|I|they)\b/iu,
  any: /^/,
}

const UPBRINGING = 'upbringing'

/** Replaces all phrases for growing up by one word. */
const unifyGrowingUp = (text: string): string => text.replace(GROWING_UP, ` ${UPBRINGING} `)

/** Topics that a text implies: birth, childhood and growing up imply each other. */
const findImpliedTopics = (text: string): string =>
  /\bborn\b|\bchildhood\b/i.test(text) || text.search(GROWING_UP) >= 0 ? `${UPBRINGING} childhood` : ''

/** Adds search words for a childhood, which sources rarely call by that name. */
export const addBirthWords = (question: string): string =>
  /\bchildhood\b/i.test(question) || question.search(GROWING_UP) >= 0
    ? `${question} Born, childhood.`
    : question

const GROWING_UP =
  /\b(?:grow|grows|grew|grown|growing) up\b|\b(?:was|were|been|be|being)(?: \p{L}+)? (?:raised|brought up)\b/giu

/** A question about views is best answered by a current view. */
const rateView = (text: string, question: string): number =>
  asksView(question) && VIEW.test(text) && !/^["“]/.test(text) ? 1.5 : 1

/** Adds the sentence that withdraws a view: "I wrote against it in 2004. I no longer think so." */
export function addWithdrawal(
  chosen: readonly Statement[],
  statements: readonly Statement[],
  question: string,
): readonly Statement[] {
  const [first] = chosen
  if (!first || !asksView(question) || chosen.some(({ text }) => VIEW.test(text))) return chosen
  const withdrawal = statements.find(
    ({ text, title }) => title === first.title && text.length <= MAX_LENGTH && WITHDRAWS.test(text),
  )
  return withdrawal ? [first, withdrawal] : chosen
}

const MAX_LENGTH = 120

const asksView = (question: string): boolean => ASKS_VIEW.test(question)

const ASKS_VIEW =
  /\b(?:do|would) you (?:still )?(?:think|feel|say|believe|support|oppose|approve)\b|\byour (?:views?|opinion|thoughts|position)\b|\bare you (?:still )?(?:for|against|in favour)\b/i
const VIEW =
  /\bI (?:now |still |do not |don['’]t )*(?:think|believe|hold|recommend|support|oppose|approve|am (?:for|against))\b/i
const WITHDRAWS =
  /\bI (?:no longer (?:think|believe|hold)|take (?:it|that|this) back|was wrong about (?:it|that|this)|(?:have )?changed my mind)\b/i
