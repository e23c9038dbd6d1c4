import { IRREGULAR_VERBS } from '@parley/contracts'
import { type PersonNames, toEntityKey } from '../facts/names.ts'
import type { SearchRequest } from '../ports/retriever.ts'

const MAX_KEYS = 24

/** Prepares a question for the search: adds the names in it, the reflection's person if meant, and synonyms. */
export function planSearch(query: string, limit: number, person?: PersonNames): SearchRequest {
  const question = query.normalize('NFC').replace(/\s+/g, ' ').trim()
  const keys = new Set(person && isAboutPerson(question, person) ? findPersonKeys(person) : [])
  for (const [name] of question.matchAll(NAMES)) {
    for (const key of findNameKeys(name)) keys.add(key)
  }
  for (const [, quoted = ''] of question.matchAll(QUOTED)) keys.add(toEntityKey(quoted))
  const words = question.split(/[^\p{L}\p{N}'’-]+/u).map(toEntityKey)
  const nouns = words.filter((word) => word.length > 2 && !COMMON_WORDS.has(word))
  for (const [index, word] of nouns.entries()) {
    const next = nouns[index + 1]
    keys.add(word)
    if (word.length > 4 && word.endsWith('s')) keys.add(word.slice(0, -1))
    if (next !== undefined && question.toLowerCase().includes(`${word} ${next}`)) keys.add(`${word} ${next}`)
  }
  keys.delete('')
  return {
    query: question,
    otherWords: findOtherWords(words),
    entityKeys: [...keys].slice(0, MAX_KEYS),
    limit,
  }
}

/** Whether the question means the person: by "you", by name, or by "she" if it names nobody else. */
function isAboutPerson(question: string, person: PersonNames): boolean {
  if (SECOND_PERSON.test(question)) return true
  const names = [...question.matchAll(NAMES)].flatMap(({ 0: name, index }) => {
    const [first] = findNameKeys(name)
    return first === undefined || PREPOSITION.test(question.slice(0, index)) ? [] : [first]
  })
  if (names.some((name) => findPersonKeys(person).includes(name))) return true
  return names.length === 0 && THIRD_PERSON.test(question)
}

const SECOND_PERSON = /\b(?:you|your|yours|yourself|du|dich|dir|dein\p{L}{0,2})\b/iu
const THIRD_PERSON = /\b(?:he|him|his|himself|she|her|hers|herself)\b/iu
/** Words before the name of a place or companion. */
const PREPOSITION = /\b(?:in|at|from|to|near|on|by|with|for|of) (?:the )?$/iu

/** Keys of the full and first names. */
const findPersonKeys = ({ displayName, creatorName = displayName }: PersonNames): readonly string[] =>
  [displayName, creatorName].map(toEntityKey).flatMap((key) => [key, key.split(' ')[0] ?? key])

const WORD = String.raw`\p{Lu}[\p{L}\p{M}\p{N}'’-]*`
const NAMES = new RegExp(String.raw`${WORD}(?: (?:(?:of|the|van|von|de|der|la) ){0,2}${WORD})*`, 'gu')
const QUOTED = /["“„«]([^"”“»]{2,80})["”“»]/g

/** Keys of a name, without leading common words as in "Did Ada Holm", and of its owner in "Ada's boat". */
function* findNameKeys(name: string): Generator<string> {
  const words = name.split(' ')
  while (words.length > 0 && COMMON_WORDS.has(toEntityKey(words[0] ?? ''))) words.shift()
  if (words.length === 0) return
  yield toEntityKey(words.join(' '))
  const owned = /^(.+?)['’]s?(?: |$)/.exec(words.join(' '))?.[1]
  if (owned !== undefined) yield toEntityKey(owned)
}

const COMMON_WORDS = new Set(
  `the and for are was were has have had did does you your yours she her hers his him its they them their our ours who whom
  whose what when where which why how that this these those there here from with without into onto about after before
  between during until since over under again then than but not nor yes can could would should will shall may might must
  been being doing done get got gets make made tell told say said says ask know known think thought want like liked love
  loved live lives lived work works worked call called name named go goes went come came any some all each every many much
  more most other such own same very just also ever never still now today still one two first last thing things someone
  something anything anyone long old new good best favourite favorite kind sort way time year years day days do is it in
  on at of to by as or if so no an i me my we us he be am up out off a wer was wo wann warum wie der die das und ist hat
  mit von für ein eine einen nicht sie ihr sein ihre`.split(/\s+/),
)

/** Finds irregular forms and synonyms of the question's words, which stemming would miss. */
function findOtherWords(words: readonly string[]): readonly string[] {
  const others = new Set(
    words.flatMap((word) => [...findIrregularForms(word), ...(SYNONYMS.get(word) ?? [])]),
  )
  return [...others].filter((word) => !words.includes(word)).slice(0, MAX_OTHER_WORDS)
}

const MAX_OTHER_WORDS = 12

const findIrregularForms = (word: string): readonly string[] =>
  IRREGULAR.find((forms) => forms.includes(word)) ?? []

const IRREGULAR: readonly (readonly string[])[] = [
  ...IRREGULAR_VERBS,
  ...`give gave given, become became, tell told, fight fought, steal stole stolen, draw drew drawn, fly flew flown,
  forget forgot forgotten, hide hid hidden, ride rode ridden, sink sank sunk`
    .split(',')
    .map((forms) => forms.trim().split(/\s+/)),
]

/** Words used in questions, with the words used in statements. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['job', ['work']],
  ['name', ['called']],
  ['mum', ['mother']],
  ['mom', ['mother']],
  ['dad', ['father']],
  ['kids', ['children']],
])
