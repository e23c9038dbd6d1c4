import { growingUpInOneWord, impliedBy } from './growing-up.ts'
import { type QuestionKind, holds, questionKind } from './question-kind.ts'
import { sameMeaning } from './same-meaning.ts'
import type { Statement } from './statement.ts'
import { stemsOf } from './stems-of.ts'
import { isOwner } from './text-blocks.ts'
import { viewFit } from './view-fit.ts'

export interface Asked {
  /** Of whom all is, where that is known. */
  readonly owner?: string | undefined
  readonly question: string
  /** What decides on the kind of the answer, where that is not the whole question. */
  readonly kindBy?: string
}

export interface Chosen {
  readonly statement: Statement
  readonly score: number
}

/** The statements that answer a question, best first; none where too few of its telling words are in any. */
export function chooseStatements(statements: readonly Statement[], asked: Asked): readonly Chosen[] {
  const wanted = new Set(stemsOf(growingUpInOneWord(asked.question)))
  const found = createFinder(wanted)
  const read = statements.map((statement) => ({ statement, rings: ringsOf(statement).map(found) }))
  const parts = partsOf(asked.question).map((part) => ({
    weights: weightsOf(growingUpInOneWord(part), read, asked.owner ?? ''),
    kind: questionKind(asked.kindBy ?? part),
  }))
  return read
    .map((one) => ({ one, score: Math.max(...parts.map((part) => scoreOf(one, part, asked))) }))
    .filter(({ score }) => score >= ENOUGH)
    .toSorted((a, b) => b.score - a.score)
    .map(({ one, score }) => ({ statement: one.statement, score }))
}

/** How much of what is asked a statement has to be about. */
const ENOUGH = 0.51

/** All of it; and what comes first, where something else is asked as well. */
function partsOf(question: string): readonly string[] {
  const [first = question] = question.split(ALSO_ASKED)
  return first === question ? [question] : [question, first]
}

const ALSO_ASKED =
  /,? and (?=(?:from |to |for |with )?(?:what|when|where|whom?|why|how|which)\b)|, (?=how\b|what\b|who\b)/i

interface Read {
  readonly statement: Statement
  /** The words of the question that it says itself, up to those that only stand around it. */
  readonly rings: readonly ReadonlySet<string>[]
}

const ringsOf = ({ text, about: { asked, near, far, around } }: Statement) => [
  text,
  `${asked} ${impliedBy(text)}`,
  near,
  far,
  around,
]

/** What a word counts where it stands in a ring. */
const RINGS: readonly number[] = [1, 0.85, 0.55, 0.5, 0.45]

/** Which of the wanted words a text has. Texts are shared by many statements, so each is read once. */
function createFinder(wanted: ReadonlySet<string>): (text: string) => ReadonlySet<string> {
  const read = new Map<string, ReadonlySet<string>>()
  return (text) => {
    const known = read.get(text)
    if (known) return known
    const words = new Set(stemsOf(growingUpInOneWord(text)))
    const found = new Set(
      [...wanted].filter((stem) => words.has(stem) || [...words].some((word) => sameMeaning(stem, word))),
    )
    read.set(text, found)
    return found
  }
}

type Weights = ReadonlyMap<string, keyof typeof WEIGHTS>

function weightsOf(question: string, read: readonly Read[], owner: string): Weights {
  const named = new Set(stemsOf(owner))
  const classes = new Set([...question.matchAll(CLASS)].flatMap(([, words = '']) => stemsOf(words)))
  const wanted = [...new Set(stemsOf(question.replace(IDIOMS, ' ')))].filter((stem) => !named.has(stem))
  // "What do you like?" has no other word to go by.
  const isLight = (stem: string) => LIGHT.has(stem) && !wanted.every((one) => LIGHT.has(one))
  return new Map(
    wanted.map((stem) => {
      if (isLight(stem)) return [stem, 'light']
      if (classes.has(stem)) return [stem, 'kindOfThing']
      const isThere = read.some(({ rings }) => rings.some((ring) => ring.has(stem)))
      return [stem, isThere ? 'plain' : 'missing']
    }),
  )
}

/** What nothing speaks of weighs most: an answer that leaves it out is beside the point. */
const WEIGHTS = { light: 0.35, kindOfThing: 1, kindInFact: 0.6, plain: 1, missing: 1.5 } as const

/** "Which languages": answers seldom say that they name languages. */
const CLASS =
  /\b(?:which|what) (?!(?:is|are|was|were|do|does|did|has|have|can|will|would)\b)(\p{L}+(?: \p{L}+)?)/giu

/** Words that ask without saying about what. */
const IDIOMS =
  /(?<=\p{L})['’]s (?:job|work|profession|occupation)\b|\b(?:for a living|for work|in (?:your|her|his) (?:view|opinion)|your (?:views?|opinion|thoughts|position)|these days|nowadays|today|what happened|made you|do you (?:think|know)|can you tell me|tell me|there (?:is|are)|(?:is|are) there|does (?=.{1,40} work\?))\b|(?<=\bhow does .{1,40}) work\b/giu

const LIGHT: ReadonlySet<string> = new Set(
  stemsOf(
    'many much long old often ever really still now first last time year years day days kind sort thing things think good ' +
      'best better like want go come make take use mean happen new once become big favourite one two three part exactly ' +
      'way people person life called call town city place number',
  ),
)

function scoreOf(
  { statement, rings }: Read,
  { weights, kind }: { readonly weights: Weights; readonly kind: QuestionKind },
  { question, owner = '' }: Asked,
): number {
  let covered = 0
  let all = 0
  for (const [stem, given] of weights) {
    // Facts say "speaks Dutch", and not that it is a language.
    const weight = WEIGHTS[statement.isFact && given === 'kindOfThing' ? 'kindInFact' : given]
    all += weight
    const ring = rings.findIndex((words) => words.has(stem))
    covered += weight * (RINGS[ring] ?? 0)
  }
  if (all < WEIGHTS.kindInFact) return 0
  // "He died in 2001" is about whom the sentence before names.
  const close = rings.slice(0, /^(?:He|She|They|It|That|This|His|Her)\b/.test(statement.text) ? 3 : 2)
  const isAbout = [...weights].some(
    ([stem, weight]) => weight !== 'light' && close.some((words) => words.has(stem)),
  )
  const cover = isAbout ? covered / all : 0
  return cover < ENOUGH
    ? 0
    : cover *
        kindFit(kind, question, statement.text) *
        foundFit(statement) *
        viewFit(statement.text, question) *
        subjectFit(statement, question, owner)
}

function kindFit(kind: QuestionKind, question: string, text: string): number {
  if (kind === 'any' && /^\W*what\b/i.test(question) && /\b(?:studied|works?|worked) at\b/.test(text))
    return 0.9
  if (kind === 'any') return KIN.test(text) && !/\b(?:name|called|have|who)\b/i.test(question) ? 0.8 : 1
  const presents =
    kind === 'person' && /^\W*who(?:['’]s| is| was| are)\b/i.test(question) && PRESENTS.test(text)
  return (holds(kind, text, question) ? 1.25 : 0.7) * (presents ? 1.15 : 1)
}

/** Says who somebody is, and nothing of them. */
const KIN = /['’]s \p{Ll}+ is \p{Lu}\p{L}+\.?$/u
/** "Ada, who …", "my aunt Ada", "a girl named Ada". */
const PRESENTS =
  /\p{Lu}\p{L}+, who\b|\bmy \p{Ll}+ \p{Lu}|\b(?:named|called)\b|\p{Lu}\p{L}+ (?:is|was) (?:a|an|the|my)\b/u

/** Facts first, and what was found first. */
const foundFit = ({ isFact, place, text }: Statement): number =>
  (isFact ? 1.15 : 1) * (1 - Math.min(place, 10) * 0.015) * (/^["“]/.test(text) ? 0.85 : 1)

/** How well whom a statement is of fits whom a question is about: where "you" are asked, others are beside the point. */
function subjectFit(
  { text, speaker }: Pick<Statement, 'text' | 'speaker'>,
  question: string,
  owner: string,
): number {
  const isOwn = speaker !== undefined && isOwner(speaker, owner)
  const asksYou = ASKS_YOU.test(question)
  if (speaker !== undefined && owner !== '' && !isOwn) return asksYou && FIRST_PERSON.test(text) ? 0.4 : 0.8
  const yours = /\byour (\p{L}+)/iu.exec(question)?.[1]
  if (yours !== undefined && new RegExp(String.raw`(?:\bmy|['’]s) ${yours}\b`, 'iu').test(text)) return 1.15
  if (!asksYou) return 1
  if (OTHERS.test(text)) return 0.35
  if (FIRST_PERSON.test(text) || (owner !== '' && text.startsWith(owner))) return 1.1
  return isOwn || owner === '' || !NAMED.test(text) ? 1 : 0.7
}

const ASKS_YOU =
  /\b(?:are|were|do|did|have|had|can|could|will|would|should) you\b|\byou (?:were|are|have|had)\b/i
const FIRST_PERSON = /\b(?:I|me|my|we|our|us|mine)\b|^(?:My|We|Our)\b/
const OTHERS =
  /^(?:He|She|They|His|Her|Their)\b|^\p{Lu}\p{L}+ (?:is|was|has|had|lives|works)\b(?!.*\b(?:I|me|my)\b)/u
/** Begins with somebody or something that does something. */
const NAMED =
  /^(?!(?:The|A|An|It|There|This|That|These|In|On|At|By|With|When|After|Before|For|From|No|Not|Next|All|One|Two)\b)\p{Lu}\p{L}+ \p{Ll}/u
