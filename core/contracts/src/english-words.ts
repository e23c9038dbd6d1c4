/** English words for the fact rules (core/knowledge), the offline answers (adapters/llm) and the offline judge (apps/voice-provider). */

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' })

/** The words of a text in lower case, without accents. */
export const splitIntoWords = (text: string): readonly string[] =>
  Array.from(SEGMENTER.segment(text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment)

const splitWords = (text: string): readonly string[] => text.split(/\s+/)

export const MONTHS = splitWords(
  'January February March April May June July August September October November December',
)

/** One to twenty, in order. */
export const NUMBER_WORDS = splitWords(
  `one two three four five six seven eight nine ten
  eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty`,
)

/** Relatives, friends and animals, as in "my …". */
export const KIN_WORDS = {
  siblings: splitWords('sister brother twin half-sister half-brother stepsister stepbrother'),
  children: splitWords('daughter son stepdaughter stepson'),
  parents: splitWords('mother father mum mom dad stepmother stepfather'),
  partners: splitWords('wife husband partner girlfriend boyfriend fiancé fiancée ex-wife ex-husband'),
  others: splitWords(
    `grandmother grandfather grandma grandpa granny aunt uncle cousin niece nephew granddaughter grandson godmother
    godfather godson goddaughter mother-in-law father-in-law sister-in-law brother-in-law friend colleague neighbour
    neighbor boss mentor teacher`,
  ),
  animals: splitWords('dog cat horse pony rabbit parrot tortoise'),
} as const

/** The forms of irregular verbs, the infinitive first. */
export const IRREGULAR_VERBS: readonly (readonly string[])[] =
  `meet met, write wrote written, buy bought, sell sold, teach taught, lose lost, win won, begin began begun,
  break broke broken, build built, fall fell fallen, keep kept, know knew known, pay paid, run ran, see saw seen,
  sing sang sung, speak spoke spoken, spend spent, swim swam swum, take took taken, think thought, drive drove driven,
  eat ate eaten, choose chose chosen, catch caught, bring brought, grow grew grown, feel felt, sleep slept, send sent,
  go went gone, lend lent`
    .split(',')
    .map((forms) => splitWords(forms.trim()))
