import { pickOne, type Random, createRandom, zipf } from './random.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Creates questions of every kind in turn: about rare, frequent, named or misspelt words, or a whole story. */
export function createQuestions(vocabulary: Vocabulary, count: number): readonly string[] {
  const random = createRandom(7)
  return Array.from({ length: count }, (_, n) => {
    const kind = KINDS[n % KINDS.length]
    if (!kind) throw new Error('No question kinds')
    return kind(vocabulary, random)
  })
}

type BenchQuestionKind = (vocabulary: Vocabulary, random: Random) => string

const rareWord: BenchQuestionKind = ({ words }, random) => pickOne(words.slice(5_000), random)
const frequentWord: BenchQuestionKind = ({ words }, random) => pickOne(words.slice(0, 100), random)

const KINDS: readonly BenchQuestionKind[] = [
  (given, random) => `What was it with the ${rareWord(given, random)} and the ${rareWord(given, random)}?`,
  (given, random) => `Is the ${frequentWord(given, random)} a ${frequentWord(given, random)}, or not?`,
  ({ names }, random) => `Where does ${zipf(names, random)()} live?`,
  (given, random) =>
    `Who wrote about ${pickOne(given.names, random)} and the ${frequentWord(given, random)}?`,
  ({ names }) => `What did ${names[0]} visit, and whom did ${names[0]} meet there?`,
  (given, random) => `What is a ${misspelt(rareWord(given, random), random)}?`,
  ({ words }, random) => `Tell me more: ${Array.from({ length: 40 }, zipf(words, random)).join(' ')}.`,
]

function misspelt(word: string, random: Random): string {
  const place = 1 + Math.floor(random() * (word.length - 2))
  return `${word.slice(0, place)}x${word.slice(place + 1)}`
}
