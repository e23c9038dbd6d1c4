import { IRREGULAR_VERBS } from '@parley/contracts'

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The telling words of a text, in the form in which their variants meet. */
export function stemsOf(text: string): readonly string[] {
  return [...WORDS.segment(text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase())]
    .filter(({ isWordLike, segment }) => isWordLike && !TOO_COMMON.has(segment))
    .map(({ segment }) => stem(segment))
}

const TOO_COMMON = new Set(
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

function stem(word: string): string {
  const known = FORMS.get(word)
  if (known !== undefined) return known
  const form = ENDINGS.reduce((shorter, [ending, instead]) => shorter.replace(ending, instead), word)
  return form === word ? form : (FORMS.get(form) ?? FORMS.get(`${form}e`) ?? form)
}

/** Forms that no ending tells, each row under its first; and `live`, so that it is not the name Liv. */
const FORMS: ReadonlyMap<string, string> = new Map(
  [
    ...IRREGULAR_VERBS,
    ...`live lives lived living, write writing, begin beginning, run running, swim swimming, come came, make made,
    hold held, drink drank drunk, sew sewn, bear bore, marry married marries marriage, die died dies dying death,
    plan planned planning plans, study studied studies studying, child children, woman women, man men`
      .split(',')
      .map((row) => row.trim().split(/\s+/)),
  ].flatMap(([first = '', ...others]) => [first, ...others].map((form) => [form, `${first}.`] as const)),
)
