import type { VoiceEvidence } from '@parley/contracts'
import type { EarlierMessage, Interview, PromptInputs } from '../starting/prompt-inputs.ts'

interface Topic {
  /** The predicates of its facts. */
  readonly known: RegExp
  readonly enough: number
  readonly ask: string
  /** Matches questions about it in other words. */
  readonly asked: RegExp
}

/** The topics of an interview, the easy ones first. */
const TOPICS: readonly Topic[] = [
  {
    known: /^(is_a|works_as|works_at)/,
    enough: 1,
    ask: 'What do you do, and how did you come to it?',
    asked: /\bwhat (?:do you do|is your (?:work|job|profession))\b|\bdo you work\b/i,
  },
  {
    known: /^(born|grew_up|comes_from)/,
    enough: 1,
    ask: 'Where did you grow up, and what was it like there?',
    asked: /\b(?:you gr[eo]w up|growing up|were you born|your childhood)\b/i,
  },
  {
    known: /^(lives_in|moved_to)/,
    enough: 1,
    ask: 'Where do you live now, and what brought you there?',
    asked: /\b(?:do you live|you living|your home now)\b/i,
  },
  {
    known: /^(has_relative|married_to|friend_of)/,
    enough: 2,
    ask: 'Who are the people closest to you?',
    asked: /\b(?:closest to you|your (?:family|friends))\b/i,
  },
  {
    known: /^(worked|studied|graduated|founded|joined|left|retired)/,
    enough: 3,
    ask: 'What did you learn or work at before?',
    asked: /\b(?:work(?:ed)? (?:at|as) before|you (?:learn|study|studied)|did you work)\b/i,
  },
  {
    known: /^(likes|dislikes|prefers|has_favourite|plays|drinks)/,
    enough: 3,
    ask: 'What do you enjoy, and what can you not stand?',
    asked: /\b(?:you (?:enjoy|like|love|dislike)|not stand)\b/i,
  },
  {
    known: /^believes/,
    enough: 2,
    ask: 'What do you believe that most people around you do not?',
    asked: /\byou believe\b/i,
  },
  {
    known: /^plans_to/,
    enough: 1,
    ask: 'What do you still want to do?',
    asked: /\b(?:still want to|you plan|your plans)\b/i,
  },
  {
    known: /^(won|wrote|built)/,
    enough: 1,
    ask: 'What have you made that you are proud of?',
    asked: /\b(?:you made|proud of)\b/i,
  },
]

type KnownFact = Pick<VoiceEvidence, 'subject' | 'isOfCreator' | 'predicate' | 'object' | 'isDated'>

/** The open questions about the creator: the least covered topics first, then gaps in known facts. */
export function exploreNext(evidence: readonly KnownFact[]): readonly string[] {
  const own = evidence.filter(({ isOfCreator }) => isOfCreator)
  const topics = TOPICS.map(({ known, enough, ask }, place) => ({
    ask,
    place,
    share: own.filter(({ predicate }) => known.test(predicate)).length / enough,
  }))
    .filter(({ share }) => share < 1)
    .toSorted((one, other) => one.share - other.share || one.place - other.place)
    .map(({ ask }) => ask)
  return [...topics, ...findGaps(own, evidence)]
}

const MAX_GAPS = 3

/** People without any fact, and events without a date. */
function findGaps(own: readonly KnownFact[], evidence: readonly KnownFact[]): readonly string[] {
  const described = new Set(evidence.map(({ subject }) => subject.toLowerCase()))
  const gaps = own.flatMap(({ predicate, object, isDated }) => {
    if (!PLAIN_NAME.test(object)) return []
    if (PEOPLE.has(predicate) && !described.has(object.toLowerCase())) return [`What is ${object} like?`]
    const when = WHEN_QUESTIONS.get(predicate)
    return when === undefined || isDated ? [] : [`${when} ${object}?`]
  })
  return [...new Set(gaps)].slice(0, MAX_GAPS)
}

const PEOPLE: ReadonlySet<string> = new Set(['has_relative', 'married_to', 'friend_of'])

const WHEN_QUESTIONS: ReadonlyMap<string, string> = new Map([
  ['moved_to', 'When did you move to'],
  ['studied_at', 'When did you study at'],
  ['worked_at', 'When did you work at'],
  ['founded', 'When did you found'],
])

/** Only a short name, since the question reaches a model unfenced. */
const PLAIN_NAME =
  /^\p{Lu}[\p{L}\p{M}'’-]{0,30}(?: (?:of |the |de |von |van )?\p{Lu}[\p{L}\p{M}'’-]{0,30}){0,3}$/u

/**
 * The questions without an answer in earlier interviews. An answer may still be waiting for approval, so its fact is not
 * known yet. An answer follows its question in the same interview.
 */
export const filterUnasked = (
  questions: readonly string[],
  interviews: readonly Interview[],
): readonly string[] =>
  questions.filter((question) => {
    const topic = TOPICS.find(({ ask }) => ask === question)
    const isAsked = ({ who, text }: EarlierMessage) =>
      who === 'reflection' && (text.includes(question) || topic?.asked.test(text))
    return !interviews.some((said) => said.some((saying, at) => isAsked(saying) && isAnswer(said[at + 1])))
  })

const isAnswer = (next: EarlierMessage | undefined): boolean =>
  next?.who === 'person' && !GOODBYE.test(next.text) && !ASKS_BACK.test(next.text)

/** A goodbye neither answers nor declines. */
const GOODBYE =
  /^.{0,30}\b(?:(?:stop|(?:good ?-?)?bye|good night|see you|(?:have to|must|need to) go|enough for (?:today|now)|leave it there)\b.{0,30}|that(?:['’]s| is| was) (?:all|enough|it)(?: (?:for (?:today|now)|then|thank you|thanks))?[\s.!]*)$/i
/** A question and nothing else: "What do you mean?" */
const ASKS_BACK = /^[^.!?]*\?\s*$/

/** The questions of an interview with this person, in order. */
export async function listOpenQuestions(
  inputs: Pick<PromptInputs, 'readPromoted' | 'readInterviews'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const unknown = (await inputs.readPromoted(signal))?.explore_next ?? exploreNext([])
  return filterUnasked(unknown, await inputs.readInterviews(signal))
}
