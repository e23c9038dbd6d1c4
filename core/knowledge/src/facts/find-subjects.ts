import { KIN_WORDS, MONTHS } from '@parley/contracts'
import { type PersonNames, isCreator } from './names.ts'
import type { StatedFact } from './predicates.ts'

const ANIMAL_WORDS = [...KIN_WORDS.animals, 'Hund', 'Katze', 'Pferd']

const GERMAN = 'Schwester Bruder Mutter Vater Tochter Sohn Frau Mann Freund Freundin Oma Opa Tante Onkel'

/** Words for relatives, friends and animals. */
export const KIN: readonly string[] = [
  ...KIN_WORDS.parents,
  ...KIN_WORDS.siblings,
  ...KIN_WORDS.children,
  ...KIN_WORDS.partners,
  ...KIN_WORDS.others,
  ...GERMAN.split(' '),
  ...ANIMAL_WORDS,
]

const SPOUSES: ReadonlySet<string> = new Set(['wife', 'husband'])

const ANIMALS: ReadonlySet<string> = new Set(ANIMAL_WORDS)

/** Plurals with their singulars. */
const PLURALS: ReadonlyMap<string, string> = new Map([
  ['children', 'child'],
  ['kids', 'child'],
  ['grandchildren', 'grandchild'],
  ['boys', 'son'],
  ['girls', 'daughter'],
  ...['daughter', 'son', 'brother', 'sister', 'cousin', 'dog', 'cat', 'horse'].map(
    (one) => [`${one}s`, one] as const,
  ),
])

/** The subject of a clause. */
export interface Subject {
  readonly name: string
  readonly person: 'first' | 'plural' | 'third'
  /** Positions of the subject and its verb in the sentence. */
  readonly at: number
  readonly verbAt: number
  /** Confidence that the name is right. */
  readonly nameConfidence: number
  /** Set for a relative or thing of the speaker, such as the sister of Ada Holm. */
  readonly relation?: { readonly person: string; readonly word: string; readonly isNamed: boolean }
  /** A possession, not a person. */
  readonly isThing?: true
}

export interface SentenceContext extends PersonNames {
  /** The person who says "I", if known. */
  readonly speaker: string | undefined
  /** The subject of the previous sentence, for "she" and "he". */
  readonly previousSubject: string | undefined
  /** The date of the text, if known. */
  readonly date: string | undefined
}

interface Subjects {
  readonly subjects: readonly Subject[]
  /** Named relatives and friends of the speaker anywhere in the sentence: "with my sister Mara". */
  readonly kin: readonly Subject[]
}

export function findSubjects(sentence: string, context: SentenceContext): Subjects {
  const subjects: Subject[] = []
  const kin: Subject[] = []
  for (const found of sentence.matchAll(SUBJECT)) {
    const at = found.index
    const isKin = found.groups?.['kinName'] !== undefined
    const opensClause = isClauseStart(sentence.slice(0, at))
    const match = isKin || opensClause ? toSubject(found, context) : undefined
    if (!match) continue
    const subject = { ...match, at, verbAt: at + found[0].length }
    if (opensClause) subjects.push(subject)
    if (isKin) kin.push(subject)
  }
  return { subjects, kin }
}

const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’-]*\p{L}`
const NAME = String.raw`${WORD}(?: (?:(?:van|von|de|der|la|of the|of) )?(?:${WORD}|\p{Lu}\.)){0,3}`
const MINE = String.raw`(?:[Mm]y|[Oo]ur|[Mm]eine?|[Uu]nsere?)`

const SUBJECT = new RegExp(
  String.raw`(?<![\p{L}\p{N}'’■-])(?:` +
    String.raw`(?<i>I|Ich|ich)(?=[ '’])` +
    String.raw`|(?<we>[Ww]e)(?=[ '’])` +
    String.raw`|(?<pronoun>[Ss]he|[Hh]e)(?=[ '’])` +
    String.raw`|${MINE} (?:(?:older|younger|elder|little|big|eldest|youngest|late|best|oldest|dear|first|second|old|good|twin|only|former|then) ){0,2}(?<kin>${KIN.join('|')})(?:(?:,| called| named)? (?<kinName>${NAME}),?)?(?=[ '’,.;!]|$)` +
    String.raw`|${MINE} (?<thing>[\p{L}-]{2,20}(?: [\p{Ll}-]{2,20}){0,2}?)(?= (?:is|are|was|has|heißt)\b)` +
    String.raw`|(?<name>${NAME})(?=[ ,'’])` +
    String.raw`) ?`,
  'gu',
)

function toSubject(
  found: RegExpExecArray,
  context: SentenceContext,
): Omit<Subject, 'at' | 'verbAt'> | undefined {
  const { i, we, pronoun, kin, kinName, thing, name } = found.groups ?? {}
  const { speaker, previousSubject } = context
  if (pronoun !== undefined)
    return previousSubject === undefined
      ? undefined
      : { name: previousSubject, person: 'third', nameConfidence: 0.8 }
  if (name !== undefined) return toNamedSubject(name, context)
  if (speaker === undefined) return undefined
  const nameConfidence = isCreator(speaker, context) ? 1 : 0.8
  if (i !== undefined) return { name: speaker, person: 'first', nameConfidence }
  if (we !== undefined) return { name: speaker, person: 'plural', nameConfidence: nameConfidence * 0.85 }
  if (kin !== undefined) {
    const isNamed = kinName !== undefined && !NOT_NAMES.has(kinName)
    const relation = { person: speaker, word: kin, isNamed }
    return { name: isNamed ? kinName : `${speaker}'s ${kin}`, person: 'third', nameConfidence, relation }
  }
  return thing === undefined
    ? undefined
    : {
        name: `${speaker}'s ${thing}`,
        person: 'third',
        nameConfidence,
        isThing: true,
        relation: { person: speaker, word: thing, isNamed: false },
      }
}

function toNamedSubject(name: string, context: SentenceContext): Omit<Subject, 'at' | 'verbAt'> | undefined {
  const [first = ''] = name.split(' ')
  if (NOT_NAMES.has(first) || NOT_NAMES.has(name)) return undefined
  if (isCreator(name, context))
    return { name: context.creatorName ?? context.displayName, person: 'third', nameConfidence: 1 }
  return { name, person: 'third', nameConfidence: 0.85 }
}

const CLAUSE_START =
  /(?:^|[,;:—–()*•-]|(?:^|\s)(?:and|but|because|so|while|although|though|today|yesterday|morning|evening|night|week|month|now|nowadays|then|later|afterwards|originally|\d{4}|days|years?|ago|childhood|yes|well|und|aber|weil|heute))\s*$/iu

const PREVENTS_A_STATEMENT =
  /\b(?:if|unless|whether|wish(?:es|ed)?|would|could|might|maybe|perhaps|suppos(?:e|ed|edly)|imagine[ds]?|pretend(?:s|ed)?|alleged(?:ly)?|apparently|reportedly|rumou?rs?|said|says?|saying|told|tells|claim(?:s|ed)?|according to|hear[ds]?|dream(?:s|t|ed)?|as though|not|never|n't|n’t|no longer|nobody|lie[ds]?|thinks|thought|joke[ds]?|wenn|falls|ob|sagt(?:e|en)?|angeblich|vielleicht|nicht)\b/iu

/** Whether a plain statement can start after these words. Conditions, hearsay and negations prevent it. */
const isClauseStart = (before: string): boolean =>
  CLAUSE_START.test(before) && !PREVENTS_A_STATEMENT.test(before)

const NOT_NAMES = new Set([
  ...MONTHS,
  ...`The This That These Those It There They We You In On At By For From With Without When While After Before But And So If Or
  Some Many Most Every Each All No Not Yes My Our Your His Her Their Its He She I What Who Whom How Why Where Which Whose
  Today Now Here Then Once Since Until As Such Both Either Neither Nothing Nobody Everything Everyone Somebody Someone
  Something Anyone One Two Three Another Other Others People Well Oh Also Even Still Just Only Maybe Perhaps Because
  Although Though Whether Monday Tuesday Wednesday Thursday Friday Saturday Sunday Der Die Das Ein Eine Er Sie Es Wir Ihr Mein Meine Ich Und Aber Dear
  Please Thanks Thank Ps PS Note Notes A An To Of Let Is Are Was Were Do Does Did Have Has Had Can Will Would Could Should
  Open Being Having Looking Going Like Love`.split(/\s+/),
])

/** Finds the speaker's relatives and friends in a sentence: "my sister Mara", "our children, Nuno and Bea", "a daughter called Bea". */
export function* findKinFacts(
  sentence: string,
  kin: readonly Subject[],
  { speaker }: SentenceContext,
): Generator<StatedFact> {
  for (const { name, relation, nameConfidence } of kin)
    if (relation?.isNamed)
      yield createRelationFact(relation.person, relation.word, name, 'is', 0.9 * nameConfidence)
  if (speaker === undefined) return
  for (const found of sentence.matchAll(SEVERAL_NAMED)) {
    const singular = PLURALS.get(found.groups?.['kin'] ?? '')
    const names = (found.groups?.['names'] ?? '').split(/, | and |, and /)
    if (singular !== undefined)
      for (const name of names) yield createRelationFact(speaker, singular, name.trim(), 'is', 0.85)
  }
  const one = ONE_NAMED.exec(sentence)?.groups
  if (one?.['kin'] !== undefined && one['name'] !== undefined)
    yield createRelationFact(speaker, one['kin'], one['name'], 'is called', 0.9)
}

/** The fact that a person or animal is a relative, friend or pet of a person. */
export function createRelationFact(
  person: string,
  word: string,
  name: string,
  verb: 'is' | 'is called',
  confidence: number,
): StatedFact {
  return {
    subject: person,
    predicate: ANIMALS.has(word) ? 'owns' : SPOUSES.has(word) ? 'married_to' : 'has_relative',
    object: name,
    statement: `${person}'s ${word} ${verb} ${name}.`,
    confidence,
  }
}

const COUNT = '(?:two|three|four|five|six|\\d)'

const SEVERAL_NAMED = new RegExp(
  String.raw`(?<![\p{L}])(?:[Mm]y|[Oo]ur) (?:${COUNT} )?(?:(?:grown-up|little|young|older|younger) )?(?<kin>${[...PLURALS.keys()].join('|')})(?:,| are(?: called| named)?| called| named)? (?<names>${NAME}(?:, ${NAME})*,? and ${NAME})`,
  'gu',
)

const ONE_NAMED = new RegExp(
  String.raw`^(?:(?:Well|And|So|Yes),? )?(?:I|[Ww]e)(?: have|['’]ve)(?: got)? an? (?:(?:older|younger|little|big|grown-up|twin|small|old|young) ){0,2}(?<kin>${KIN.join('|')}),? (?:called|named|whose name is) (?<name>${NAME})`,
  'u',
)
