import { ANY_KIN, KIN } from './english.ts'
import type { Statement } from './statement.ts'

/** A common question about a person, and the facts that answer it in other words. */
interface Topic {
  /** Matches the question without polite words. WHO replaces the person. */
  readonly questionPattern: RegExp
  /** Applies only to questions about "you". */
  readonly isAboutYou?: true
  /** Predicate patterns; the first match wins. */
  readonly factPatterns: readonly RegExp[]
  /** Must match any other sentence that answers the question. */
  readonly sentencePattern: RegExp
  /** Words added to the search, since sources seldom use the question's own word. */
  readonly searchWords: string
}

/** A pattern for "'s sister is Liv" and " has two brothers". */
const createKinPattern = (kin: string): RegExp =>
  new RegExp(
    String.raw`^['’]s (?:\p{L}+ )?(?:${kin})s? (?:is|are|was|were) |^ has (?:an?|no|one|two|three|four|five|six|seven|\d+|some|several) (?:[\p{L}-]+ ){0,2}(?:${kin})s?\b`,
    'u',
  )

const createRelativesTopic = (words: string, kin: string, searchWords: string): Topic => ({
  questionPattern: new RegExp(
    String.raw`^(?:(?:do|does|has|have) WHO (?:have |got )?(?:any |an? )?(?:${words})|how many (?:${words}) (?:do|does) WHO have|who (?:are|is) WHO's (?:${words})|about WHO's (?:${words}))$`,
  ),
  factPatterns: [createKinPattern(kin)],
  sentencePattern: new RegExp(
    String.raw`\b(?:my|our|his|her|their) (?:\p{L}+ )?(?:${kin})|\b(?:have|has|had) [^.]{0,30}\b(?:${kin})`,
    'iu',
  ),
  searchWords,
})

/** Occupations, but no words for family, belief or diet. */
const TRADE =
  '(?!vegetarian|widower|stranger|foreigner|lover|believer|member|elder|younger|former|father|mother|brother|sister|daughter|\\p{Lu})(?:[\\p{L}-]*(?:er|or|ist|ian|eer|wright|smith|man|woman)|cook|chef|nurse|clerk|judge|pilot|architect|captain|priest|vicar|deckhand|mate|head|guide|guard|coach|poet|student|apprentice|mechanic|accountant|vet)'
const createOccupationPattern = (verb: string): string =>
  String.raw`${verb} (?:(?:an?|the|now|still|also|retired) )*(?:[\p{L}-]+ ){0,2}?${TRADE}\b`

const BORN = /^ was born (?:in .* )?(?:on|in) .*\d{4}/

/** The first match wins. */
const TOPICS: readonly Topic[] = [
  {
    questionPattern:
      /^(?:what (?:do|does|did) WHO (?:do|work as)(?: for (?:a living|work)| professionally| all day)?|what(?: is| was|'s) WHO's (?:job|work|trade|profession|occupation|line of work|career)|what (?:kind|sort|line) of work (?:do|does|did) WHO do|(?:do|does) WHO (?:have a job|work))$/,
    factPatterns: [
      new RegExp(`^ works as |^ ${createOccupationPattern('is')}`, 'u'),
      /^ (?:works|teaches|runs|leads) /,
      /^ (?:makes|builds|mends|sells|writes|keeps|grows|paints|drives|cooks) /,
      new RegExp(
        `^ (?:worked|works|taught|ran|led) |^ ${createOccupationPattern('was')}|^ retired from `,
        'u',
      ),
    ],
    sentencePattern:
      /\b(?:work|teach|run|lead|make|build|mend)(?:e?s|ed|ing)?\b|\b(?:am|is|was) an?\b|\b(?:job|trade|profession)\b/i,
    searchWords: 'Job, profession: works as.',
  },
  {
    questionPattern:
      /^(?:where (?:do|does) WHO work|(?:who|whom) (?:do|does) WHO work for|(?:who|what) is WHO's employer|where is WHO employed)$/,
    factPatterns: [/^ works (?:at|for|in|with) /, /^ works as .* (?:at|for|in) /],
    sentencePattern: /\b(?:work(?:s|ing)?|employed)\b/i,
    searchWords: 'Works at.',
  },
  {
    questionPattern: /^(?:how old are WHO|what(?: is|'s) WHO's age)$/,
    isAboutYou: true,
    factPatterns: [BORN],
    sentencePattern: /\bborn\b.*\d{4}/,
    searchWords: 'Born on.',
  },
  {
    questionPattern:
      /^(?:where (?:do|does) WHO live|where is WHO's home|where (?:is|are) WHO (?:living|based))$/,
    factPatterns: [/^ lives in /, /^ moved to /],
    sentencePattern: /\b(?:live|living|lives|home|moved)\b/i,
    searchWords: 'Lives in, moved to.',
  },
  createRelativesTopic(
    'siblings?|(?:brothers? (?:or|and) sisters?)|(?:sisters? (?:or|and) brothers?)',
    KIN.siblings,
    'Sister, brother.',
  ),
  createRelativesTopic(
    'children|kids|child|(?:sons? (?:or|and) daughters?)',
    KIN.children,
    'Daughter, son, children.',
  ),
  createRelativesTopic('parents', KIN.parents, 'Mother, father.'),
  createRelativesTopic('pets?|animals?', KIN.pets, 'Dog, cat.'),
  createRelativesTopic(
    'family|relatives',
    Object.values(KIN).slice(0, 4).join('|'),
    'Family: sister, brother, daughter, son, mother, father.',
  ),
  {
    questionPattern:
      /^(?:(?:is|are) WHO (?:married|divorced|single|in a relationship)|(?:do|does) WHO have an? (?:partner|wife|husband|spouse|girlfriend|boyfriend)|who is WHO (?:married to|with))$/,
    factPatterns: [
      new RegExp(String.raw`^ is married\b|^['’]s (?:${KIN.partners}) is `),
      /^ (?:is|was) (?:divorced|widowed|single|unmarried|engaged|a widow|separated)|^ was married to /,
    ],
    sentencePattern: /\b(?:married|marry|divorced?|widow|engaged|partner|husband|wife)\b/i,
    searchWords: 'Married, divorced, partner.',
  },
  {
    questionPattern:
      /^(?:what (?:don't|do not|doesn't|can't|cannot) WHO (?:like|stand|enjoy)|what (?:do|does|can) WHO (?:dislike|hate|not (?:like|stand|enjoy)|like (?:the )?least)|what are WHO's dislikes|(?:is there )?(?:anything|something)(?: that)? WHO (?:don't|do not|doesn't) like|(?:do|does) WHO (?:dislike|hate) (?:anything|something))$/,
    factPatterns: [/^ (?:dislikes|hates|detests|cannot stand|does not like) /],
    sentencePattern:
      /\b(?:(?:dislike|hate|detest|loathe)[sd]?|(?:do not|don['’]t|does not|doesn['’]t|never) (?:like|liked|care for)|(?:cannot|can['’]t) (?:stand|bear))\b/i,
    searchWords: 'Dislikes, hates.',
  },
  {
    questionPattern:
      /^(?:what (?:do|does) WHO (?:like|love|enjoy)(?: (?:most|best|to do|doing))?|what are WHO's (?:hobbies|interests|likes|pastimes)|what (?:do|does) WHO do (?:for fun|in WHO's (?:free|spare) time))$/,
    factPatterns: [/^ (?:likes|loves|enjoys|prefers|plays|collects) /],
    sentencePattern: /\b(?:like|love|enjoy|prefer|play|collect)s?\b|\b(?:hobby|pastime)/i,
    searchWords: 'Likes, enjoys, plays.',
  },
  {
    questionPattern: /^(?:about|introduce|describe) WHO$/,
    isAboutYou: true,
    factPatterns: [
      new RegExp(String.raw`${BORN.source}|^ works as |^ ${createOccupationPattern('is')}|^ lives in `, 'u'),
    ],
    sentencePattern: /\b(?:I|my)\b/i,
    searchWords: 'Born, works as, lives in.',
  },
  {
    questionPattern: /\bfavou?rite\b/,
    factPatterns: [],
    sentencePattern: /\b(?:favou?rite|loves?|likes?|prefers?|enjoys?|best)\b/i,
    searchWords: 'Likes, prefers.',
  },
  {
    questionPattern: /^who (?!(?:are|were|is|was|do|did|does|can|will|would|have|had|has)\b)\p{L}+ WHO\b/u,
    isAboutYou: true,
    factPatterns: [],
    sentencePattern: /\b(?:me|us|my|our)\b/i,
    searchWords: '',
  },
]

interface QuestionTopic {
  readonly topic: Topic
  /** The person in the question: "you", "your sister", "Ada". */
  readonly who: string
}

/** The topic of a common question; undefined for any other. */
export function findTopic(question: string): QuestionTopic | undefined {
  if (question.length > MAX_LENGTH) return undefined
  const plain = question
    .replace(/’/g, "'")
    .replace(/[\s?.!]+$/, '')
    .replace(POLITE_WORDS, '')
    .replace(NOW, '')
  const who = CREATORS_KIN.exec(plain)?.[0] ?? (/\byou/i.test(plain) ? 'you' : NAME.exec(plain)?.[0])
  if (who === undefined) return undefined
  const withWho =
    who === 'you'
      ? plain.replace(/\byour\b/gi, "WHO's").replace(/\byou(?:rself)?\b/gi, 'WHO')
      : plain.replaceAll(who, 'WHO')
  const form = withWho.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase())
  const topic = TOPICS.find(
    ({ questionPattern, isAboutYou }) => questionPattern.test(form) && (!isAboutYou || who === 'you'),
  )
  return topic && { topic, who }
}

const MAX_LENGTH = 120
/** Polite words before a question or its subject. */
const POLITE_WORDS =
  /^\W*(?:(?:and|so|but|well|okay|ok|please|hi|hello|hey)\b[ ,]*){0,3}(?:(?:can|could|will|would) you (?:please )?)?(?:tell me,? |say )?(?:(?:a little|something|more) (?=about))?(?:please )?/i
const NOW = / (?:right now|now|currently|these days|nowadays|today|at the moment|really|exactly)$/i
/** "your sister" in a question about her. */
const CREATORS_KIN = new RegExp(String.raw`\byour (?:${ANY_KIN})(?='s\b| [a-z])`, 'i')
const NAME = /(?<=\S )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)*/u

/** The facts that answer the question, grouped by pattern, best first. */
export function findTopicFacts(
  { topic, who }: QuestionTopic,
  statements: readonly Statement[],
  creator: string,
): readonly (readonly Statement[])[] {
  const facts = statements.filter(({ isFact }) => isFact)
  const subjects = listSubjectNames(who, facts, creator)
  const rests = facts.flatMap((statement) => {
    const { text, corrects } = statement
    const subject = subjects.find((name) => text.startsWith(name))
    if (subject !== undefined) return [{ statement, rest: text.slice(subject.length) }]
    // A correction need not name its subject.
    const [rest] = subjects.flatMap((name) =>
      (corrects ?? []).flatMap((start) => (start.startsWith(name) ? [start.slice(name.length)] : [])),
    )
    return rest === undefined ? [] : [{ statement, rest: `${rest} ${text}` }]
  })
  const rows = topic.factPatterns.map((form) => rests.filter(({ rest }) => form.test(rest)))
  return rows.filter((row) => row.length > 0).map((row) => row.map(({ statement }) => statement))
}

/** Whether another sentence may answer the question. */
export const mayAnswer = (text: string, { topic, who }: QuestionTopic): boolean =>
  topic.sentencePattern.test(text) && (who === 'you' || text.includes(who.replace(/^your /i, '')))

/** All names of a person in the facts: if a fact says that your sister is Liv, Liv and your sister are the same. */
function listSubjectNames(who: string, facts: readonly Statement[], creator: string): readonly string[] {
  if (who === 'you' || creator === who || creator.startsWith(`${who} `)) return [creator]
  const kin = facts.flatMap(({ text }) => {
    const [, word, name] = text.startsWith(creator) ? (KIN_FACT.exec(text.slice(creator.length)) ?? []) : []
    return word !== undefined && name !== undefined ? [{ word, name }] : []
  })
  const word = /^your (.*)$/i.exec(who)?.[1]
  const matching = kin.filter((fact) => (word === undefined ? fact.name === who : fact.word === word))
  return [
    ...(word === undefined ? [who] : [`${creator}'s ${word}`]),
    ...matching.map((fact) => (word === undefined ? `${creator}'s ${fact.word}` : fact.name)),
  ]
}

const KIN_FACT = /^['’]s (\p{Ll}[\p{L}-]*) (?:is|was) (\p{Lu}\p{L}+)/u
