import { MONTHS, NUMBER_WORDS } from '@parley/contracts'

/** What an answer to a question has to hold. */
export type QuestionKind = 'place' | 'time' | 'person' | 'age' | 'number' | 'reason' | 'any'

/** By the first word that asks. */
export function questionKind(question: string): QuestionKind {
  const found = KINDS.flatMap(([kind, pattern]) => {
    const at = question.search(pattern)
    return at < 0 ? [] : [{ kind, at }]
  })
  return found.toSorted((a, b) => a.at - b.at)[0]?.kind ?? 'any'
}

/** Whether a text has what such a question asks for: of "how many boats" boats, with their number. */
export function holds(kind: QuestionKind, text: string, question: string): boolean {
  if (!HELD[kind].test(text)) return false
  const counted = /\bhow many ((?:\p{L}+ ){1,3})/iu.exec(question)?.[1]?.trim().split(' ') ?? []
  return counted.length === 0 || counted.some((word) => COUNTS(word).test(text))
}

const COUNTS = (word: string): RegExp =>
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

const HELD: Readonly<Record<QuestionKind, RegExp>> = {
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
