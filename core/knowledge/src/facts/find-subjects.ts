import { KIN_WORDS, MONTHS } from '@parley/contracts'
import { isCreator } from './names.ts'
import type { Said } from './predicates.ts'

const ANIMAL_WORDS = [...KIN_WORDS.animals, 'Hund', 'Katze', 'Pferd']

const GERMAN = 'Schwester Bruder Mutter Vater Tochter Sohn Frau Mann Freund Freundin Oma Opa Tante Onkel'

/** Relatives, friends and animals, as a fact names them. */
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

/** Several of them, by what one of them is. */
const SEVERAL: ReadonlyMap<string, string> = new Map([
  ['children', 'child'],
  ['kids', 'child'],
  ['grandchildren', 'grandchild'],
  ['boys', 'son'],
  ['girls', 'daughter'],
  ...['daughter', 'son', 'brother', 'sister', 'cousin', 'dog', 'cat', 'horse'].map(
    (one) => [`${one}s`, one] as const,
  ),
])

/** The subject of a clause, and where its predicate begins. */
export interface Subject {
  readonly name: string
  readonly person: 'first' | 'plural' | 'third'
  /** Where the subject begins in the sentence, and where its verb does. */
  readonly at: number
  readonly verbAt: number
  /** How far the name can be relied on. */
  readonly trust: number
  /** Whose they are, where the text says so: the sister of Ada Holm. */
  readonly of?: { readonly person: string; readonly as: string; readonly isNamed: boolean }
  /** Something that is theirs, rather than somebody. */
  readonly isThing?: true
}

export interface Voice {
  /** Who "I" is; undefined where nobody can tell. */
  readonly speaker: string | undefined
  /** Who "she" or "he" may be: the subject of the sentence before. */
  readonly before: string | undefined
  /** The day on which it is said, where that is known. */
  readonly date: string | undefined
  readonly displayName: string
  readonly creatorName?: string
}

export interface Subjects {
  /** The subjects of its clauses. */
  readonly subjects: readonly Subject[]
  /** The speaker's relatives and friends, anywhere in the sentence: "with my sister Mara". */
  readonly kin: readonly Subject[]
}

export function findSubjects(sentence: string, voice: Voice): Subjects {
  const subjects: Subject[] = []
  const kin: Subject[] = []
  for (const found of sentence.matchAll(SUBJECT)) {
    const at = found.index
    const isKin = found.groups?.['kinName'] !== undefined
    const opensClause = isClauseStart(sentence.slice(0, at))
    const who = isKin || opensClause ? subjectOf(found, voice) : undefined
    if (!who) continue
    const subject = { ...who, at, verbAt: at + found[0].length }
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

function subjectOf(found: RegExpExecArray, voice: Voice): Omit<Subject, 'at' | 'verbAt'> | undefined {
  const { i, we, pronoun, kin, kinName, thing, name } = found.groups ?? {}
  const { speaker } = voice
  if (pronoun !== undefined)
    return voice.before === undefined ? undefined : { name: voice.before, person: 'third', trust: 0.8 }
  if (name !== undefined) return named(name, voice)
  if (speaker === undefined) return undefined
  const trust = isCreator(speaker, voice) ? 1 : 0.8
  if (i !== undefined) return { name: speaker, person: 'first', trust }
  if (we !== undefined) return { name: speaker, person: 'plural', trust: trust * 0.85 }
  if (kin !== undefined) {
    const isNamed = kinName !== undefined && !NO_NAMES.has(kinName)
    const of = { person: speaker, as: kin, isNamed }
    return { name: isNamed ? kinName : `${speaker}'s ${kin}`, person: 'third', trust, of }
  }
  return thing === undefined
    ? undefined
    : {
        name: `${speaker}'s ${thing}`,
        person: 'third',
        trust,
        isThing: true,
        of: { person: speaker, as: thing, isNamed: false },
      }
}

function named(name: string, voice: Voice): Omit<Subject, 'at' | 'verbAt'> | undefined {
  const [first = ''] = name.split(' ')
  if (NO_NAMES.has(first) || NO_NAMES.has(name)) return undefined
  if (isCreator(name, voice))
    return { name: voice.creatorName ?? voice.displayName, person: 'third', trust: 1 }
  return { name, person: 'third', trust: 0.85 }
}

const BEFORE_A_CLAUSE =
  /(?:^|[,;:—–()*•-]|(?:^|\s)(?:and|but|because|so|while|although|though|today|yesterday|morning|evening|night|week|month|now|nowadays|then|later|afterwards|originally|\d{4}|days|years?|ago|childhood|yes|well|und|aber|weil|heute))\s*$/iu

const SPOILS_A_CLAUSE =
  /\b(?:if|unless|whether|wish(?:es|ed)?|would|could|might|maybe|perhaps|suppos(?:e|ed|edly)|imagine[ds]?|pretend(?:s|ed)?|alleged(?:ly)?|apparently|reportedly|rumou?rs?|said|says?|saying|told|tells|claim(?:s|ed)?|according to|hear[ds]?|dream(?:s|t|ed)?|as though|not|never|n't|n’t|no longer|nobody|lie[ds]?|thinks|thought|joke[ds]?|wenn|falls|ob|sagt(?:e|en)?|angeblich|vielleicht|nicht)\b/iu

/** Whether what comes before can stand before a plain statement: no condition, hearsay or negation. */
const isClauseStart = (before: string): boolean =>
  BEFORE_A_CLAUSE.test(before) && !SPOILS_A_CLAUSE.test(before)

const NO_NAMES = new Set([
  ...MONTHS,
  ...`The This That These Those It There They We You In On At By For From With Without When While After Before But And So If Or
  Some Many Most Every Each All No Not Yes My Our Your His Her Their Its He She I What Who Whom How Why Where Which Whose
  Today Now Here Then Once Since Until As Such Both Either Neither Nothing Nobody Everything Everyone Somebody Someone
  Something Anyone One Two Three Another Other Others People Well Oh Also Even Still Just Only Maybe Perhaps Because
  Although Though Whether Monday Tuesday Wednesday Thursday Friday Saturday Sunday Der Die Das Ein Eine Er Sie Es Wir Ihr Mein Meine Ich Und Aber Dear
  Please Thanks Thank Ps PS Note Notes A An To Of Let Is Are Was Were Do Does Did Have Has Had Can Will Would Could Should
  Open Being Having Looking Going Like Love`.split(/\s+/),
])

/** The speaker's relatives and friends in a sentence: "my sister Mara", "our children, Nuno and Bea", "a daughter called Bea". */
export function* factsOfKin(sentence: string, kin: readonly Subject[], { speaker }: Voice): Generator<Said> {
  for (const { name, of, trust } of kin)
    if (of?.isNamed) yield relation(of.person, of.as, name, 'is', 0.9 * trust)
  if (speaker === undefined) return
  for (const found of sentence.matchAll(SEVERAL_NAMED)) {
    const one = SEVERAL.get(found.groups?.['what'] ?? '')
    const names = (found.groups?.['names'] ?? '').split(/, | and |, and /)
    if (one !== undefined) for (const name of names) yield relation(speaker, one, name.trim(), 'is', 0.85)
  }
  const one = ONE_NAMED.exec(sentence)?.groups
  if (one?.['kin'] !== undefined && one['name'] !== undefined)
    yield relation(speaker, one['kin'], one['name'], 'is called', 0.9)
}

/** That somebody, or an animal, is somebody's. */
export function relation(
  person: string,
  as: string,
  name: string,
  verb: 'is' | 'is called',
  confidence: number,
): Said {
  return {
    subject: person,
    predicate: ANIMALS.has(as) ? 'owns' : SPOUSES.has(as) ? 'married_to' : 'has_relative',
    object: name,
    statement: `${person}'s ${as} ${verb} ${name}.`,
    confidence,
  }
}

const COUNT = '(?:two|three|four|five|six|\\d)'

const SEVERAL_NAMED = new RegExp(
  String.raw`(?<![\p{L}])(?:[Mm]y|[Oo]ur) (?:${COUNT} )?(?:(?:grown-up|little|young|older|younger) )?(?<what>${[...SEVERAL.keys()].join('|')})(?:,| are(?: called| named)?| called| named)? (?<names>${NAME}(?:, ${NAME})*,? and ${NAME})`,
  'gu',
)

const ONE_NAMED = new RegExp(
  String.raw`^(?:(?:Well|And|So|Yes),? )?(?:I|[Ww]e)(?: have|['’]ve)(?: got)? an? (?:(?:older|younger|little|big|grown-up|twin|small|old|young) ){0,2}(?<kin>${KIN.join('|')}),? (?:called|named|whose name is) (?<name>${NAME})`,
  'u',
)
