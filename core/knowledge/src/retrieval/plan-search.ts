import { IRREGULAR_VERBS } from '@parley/contracts'
import { entityKey } from '../facts/names.ts'
import type { SearchRequest } from '../ports/retriever.ts'
import type { PersonNames } from './question.ts'

const MOST_KEYS = 24

/**
 * A question as it is searched for: with the names in it, with whose reflection it is where it speaks to or of them, and
 * with the words that may name something.
 */
export function planSearch(query: string, limit: number, whose?: PersonNames): SearchRequest {
  const asked = query.normalize('NFC').replace(/\s+/g, ' ').trim()
  const keys = new Set(whose && isMeant(asked, whose) ? keysOf(whose) : [])
  for (const [name] of asked.matchAll(NAMES)) {
    for (const key of namesWithin(name)) keys.add(key)
  }
  for (const [, quoted = ''] of asked.matchAll(QUOTED)) keys.add(entityKey(quoted))
  const words = asked.split(/[^\p{L}\p{N}'’-]+/u).map(entityKey)
  const nouns = words.filter((word) => word.length > 2 && !COMMON.has(word))
  for (const [place, word] of nouns.entries()) {
    const next = nouns[place + 1]
    keys.add(word)
    if (word.length > 4 && word.endsWith('s')) keys.add(word.slice(0, -1))
    if (next !== undefined && asked.toLowerCase().includes(`${word} ${next}`)) keys.add(`${word} ${next}`)
  }
  keys.delete('')
  return { query: asked, otherWords: otherWords(words), entityKeys: [...keys].slice(0, MOST_KEYS), limit }
}

/** "You" always, "she" unless it may be somebody who is named. */
function isMeant(asked: string, whose: PersonNames): boolean {
  if (SPOKEN_TO.test(asked)) return true
  const names = [...asked.matchAll(NAMES)].flatMap(({ 0: name, index }) => {
    const [first] = namesWithin(name)
    return first === undefined || AT.test(asked.slice(0, index)) ? [] : [first]
  })
  if (names.some((name) => keysOf(whose).includes(name))) return true
  return names.length === 0 && SPOKEN_OF.test(asked)
}

const SPOKEN_TO = /\b(?:you|your|yours|yourself|du|dich|dir|dein\p{L}{0,2})\b/iu
const SPOKEN_OF = /\b(?:he|him|his|himself|she|her|hers|herself)\b/iu
/** What comes before the name of a place or of a companion. */
const AT = /\b(?:in|at|from|to|near|on|by|with|for|of) (?:the )?$/iu

/** In full and by the first name. */
const keysOf = ({ displayName, creatorName = displayName }: PersonNames): readonly string[] =>
  [displayName, creatorName].map(entityKey).flatMap((key) => [key, key.split(' ')[0] ?? key])

const WORD = String.raw`\p{Lu}[\p{L}\p{M}\p{N}'’-]*`
const NAMES = new RegExp(String.raw`${WORD}(?: (?:(?:of|the|van|von|de|der|la) ){0,2}${WORD})*`, 'gu')
const QUOTED = /["“„«]([^"”“»]{2,80})["”“»]/g

/** "Did Ada Holm" has a name in it that begins later. */
function* namesWithin(name: string): Generator<string> {
  const words = name.split(' ')
  while (words.length > 0 && COMMON.has(entityKey(words[0] ?? ''))) words.shift()
  if (words.length === 0) return
  yield entityKey(words.join(' '))
  const owned = /^(.+?)['’]s?(?: |$)/.exec(words.join(' '))?.[1]
  if (owned !== undefined) yield entityKey(owned)
}

const COMMON = new Set(
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

/** Words that say the same as one in the question, and that its stem does not lead to. */
function otherWords(words: readonly string[]): readonly string[] {
  const others = new Set(words.flatMap((word) => [...formsOf(word), ...(ALSO.get(word) ?? [])]))
  return [...others].filter((word) => !words.includes(word)).slice(0, MOST)
}

const MOST = 12

const formsOf = (word: string): readonly string[] => IRREGULAR.find((forms) => forms.includes(word)) ?? []

const IRREGULAR: readonly (readonly string[])[] = [
  ...IRREGULAR_VERBS,
  ...`give gave given, become became, tell told, fight fought, steal stole stolen, draw drew drawn, fly flew flown,
  forget forgot forgotten, hide hid hidden, ride rode ridden, sink sank sunk`
    .split(',')
    .map((forms) => forms.trim().split(/\s+/)),
]

/** What people ask by one word and mostly say by another. */
const ALSO: ReadonlyMap<string, readonly string[]> = new Map([
  ['job', ['work']],
  ['name', ['called']],
  ['mum', ['mother']],
  ['mom', ['mother']],
  ['dad', ['father']],
  ['kids', ['children']],
])
