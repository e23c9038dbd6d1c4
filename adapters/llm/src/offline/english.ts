import { IRREGULAR_VERBS, KIN_WORDS, splitIntoWords } from '@parley/contracts'

/** The stems of a text's meaningful words, so that variants of a word are equal. */
export function toStems(text: string): readonly string[] {
  return splitIntoWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(toStem)
}

const STOP_WORDS = new Set(
  (
    'a about all also am an and any are as at be been being but by can could did do does for from get give had has have ' +
    'he her him his how i if in into is it its just know list me mine my name of on or our please say she should show so ' +
    'some tell than that the their them then there these they this those to us was we were what when where which who ' +
    'whom whose why will with would you your'
  ).split(' '),
)

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/['’]s$/, ''],
  [/ies$/, 'y'],
  [/(?<=.{3})(ss|sh|ch|x)es$/, '$1'],
  [/(?<=.{3})(?:ing|ed)$/, ''],
  [/(?<=[^su].)s$|(?<=[^s]{3})s$/, ''],
  [/(?<=.{3})e$/, ''],
]

function toStem(word: string): string {
  const known = STEM_BY_FORM.get(word)
  if (known !== undefined) return known
  const form = ENDINGS.reduce((shorter, [ending, instead]) => shorter.replace(ending, instead), word)
  return form === word ? form : (STEM_BY_FORM.get(form) ?? STEM_BY_FORM.get(`${form}e`) ?? form)
}

/** Irregular forms, mapped to the first of their row; also `live`, which must not equal the name Liv. */
const STEM_BY_FORM: ReadonlyMap<string, string> = new Map(
  [
    ...IRREGULAR_VERBS,
    ...`live lives lived living, write writing, begin beginning, run running, swim swimming, come came, make made,
    hold held, drink drank drunk, sew sewn, bear bore, marry married marries marriage, die died dies dying death,
    plan planned planning plans, study studied studies studying, child children, woman women, man men`
      .split(',')
      .map((row) => row.trim().split(/\s+/)),
  ].flatMap(([first = '', ...others]) => [first, ...others].map((form) => [form, `${first}.`] as const)),
)

/** Whether a word of a question matches a word of a text: equal, a synonym, or a typo of one letter. */
export const hasSameMeaning = (asked: string, found: string): boolean =>
  asked === found || (SYNONYMS.get(asked)?.has(found) ?? false) || isTypo(asked, found)

const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  `mother mum mom, father dad, job work profession occupation post, award prize medal, refuse decline reject,
  illness disease, boat ship vessel, home house, quarrel row argue, oppose against, child kid, owe debt borrow,
  town city, grass seagrass eelgrass, instrument piano violin fiddle guitar flute concertina, photo photograph picture,
  mail email, medicine tablet pill, spot see, director head, begin start, restore restoration, survive live, name call,
  cost price pound euro dollar, money pound euro dollar, partner husband wife, birthday born, award medal`
    .split(',')
    .map((group) => toStems(group))
    .flatMap((group) => group.map((word) => [word, group] as const))
    .reduce(
      (groups, [word, group]) => groups.set(word, new Set([...(groups.get(word) ?? []), ...group])),
      new Map<string, Set<string>>(),
    ),
)

const MIN_TYPO_LENGTH = 6

/** One letter added, missing or different; or a common ending added. */
function isTypo(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length < MIN_TYPO_LENGTH - 1 || long.length - short.length > MAX_ENDING_LENGTH) return false
  if (long.startsWith(short)) return TYPED_ENDING.test(long.slice(short.length))
  if (long.length - short.length > 1 || short.length < MIN_TYPO_LENGTH || /\d/.test(long)) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  return short.slice(at + (long.length === short.length ? 1 : 0)) === long.slice(at + 1)
}

const MAX_ENDING_LENGTH = 4
const TYPED_ENDING = /^(?:s|r|d|n|y|er|or|ed|ly|ing|ers|ors|ment|ful)$/

/** Relatives, friends and pets, as pattern alternatives. */
export const KIN = {
  siblings: [...KIN_WORDS.siblings, 'step-sister', 'step-brother', 'sibling'].join('|'),
  children: [...KIN_WORDS.children, 'child', 'children', 'kid'].join('|'),
  parents: [...KIN_WORDS.parents, 'parent'].join('|'),
  partners: [...KIN_WORDS.partners, 'spouse'].join('|'),
  others: [...KIN_WORDS.others, 'grand[a-z]+'].join('|'),
  pets: [...KIN_WORDS.animals, 'pet'].join('|'),
} as const

export const ANY_KIN = Object.values(KIN).join('|')

/** Whether a text is a question or a request. */
export const isRequest = (text: string): boolean =>
  text.includes('?') || REQUEST_OPENINGS.test(text.slice(0, MAX_OPENING))

/** The same for the spoken style: also "please", and what the person wishes. */
export const isRequestOrWish = (text: string): boolean =>
  isRequest(text) || WISH_OPENINGS.test(text.slice(0, MAX_OPENING))

const MAX_OPENING = 300

const REQUEST_OPENINGS =
  /^\s*(who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|tell|explain|describe|list|find|show|give|name|summari[sz]e|compare)\b/i

const WISH_OPENINGS =
  /\bplease\b|^\s*(?:(?:so|well|okay|ok|and|yes|um|hi|hello)\b[\s,]{1,3})?(?:i(?: would|['’]d) like|i want|i need|i wonder|i am looking|i['’]m looking|i have a question|what|when|where|how|who|do|can)\b/i
