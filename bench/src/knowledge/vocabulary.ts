import { pickOne, type Random, createRandom, zipf } from './random.ts'

const WORDS = 30_000
const NAMES = 3_000

/** The words of a made-up person's sources. */
export interface Vocabulary {
  /** The most frequent first. */
  readonly words: readonly string[]
  /** People, places and things; two words each. */
  readonly names: readonly string[]
}

export function vocabulary(): Vocabulary {
  const random = createRandom(1)
  const words = distinct(WORDS, () => createWord(random))
  const names = distinct(NAMES, () => `${capital(createWord(random))} ${capital(createWord(random))}`)
  return { words, names }
}

/** Writes sentences: words by frequency, and the words of the source's subject more often. */
export function createWriter({ words, names }: Vocabulary, seed: number): () => string {
  const random = createRandom(seed)
  const anyWord = zipf(words, random)
  const anyName = zipf(names, random)
  const subject = Array.from({ length: SUBJECT_WORDS }, () => pickOne(words, random))
  const people = Array.from({ length: SUBJECT_NAMES }, anyName)
  const next = () => {
    const chance = random()
    if (chance < 0.4) return pickOne(LITTLE, random)
    if (chance < 0.5) return pickOne(subject, random)
    if (chance < 0.52) return pickOne(people, random)
    return anyWord()
  }
  return () => {
    const length = 8 + Math.floor(random() * 16)
    return `${capital(Array.from({ length }, next).join(' '))}.`
  }
}

const SUBJECT_WORDS = 60
const SUBJECT_NAMES = 8

const LITTLE =
  'the of and to in a is that it was for on with as at by this had not but from or have an they'.split(' ')

const STARTS = 'b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w y z'.split(' ')
const MIDDLES = 'a e i o u ai ea ou oa ee'.split(' ')
const ENDS = ['', '', '', '', '', 'n', 'r', 'l', 'm', 'nd']

function createWord(random: Random): string {
  const syllables = 2 + Math.floor(random() * 1.6)
  const syllable = () => `${pickOne(STARTS, random)}${pickOne(MIDDLES, random)}${pickOne(ENDS, random)}`
  return Array.from({ length: syllables }, syllable).join('')
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function distinct(count: number, make: () => string): readonly string[] {
  const made = new Set<string>()
  while (made.size < count) made.add(make())
  return [...made]
}
