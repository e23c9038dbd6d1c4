import { pickOne, createRandom } from './random.ts'
import { type Vocabulary, createWriter } from './vocabulary.ts'

/** Characters of a printed page. */
const PAGE_LENGTH = 3_000

/** Creates pages of made-up plain text, with some facts about people. */
export function createPages(vocabulary: Vocabulary, count: number, seed: number): Uint8Array {
  const sentence = createWriter(vocabulary, seed)
  const random = createRandom(-seed)
  const page = () => {
    let text = said(pickOne(vocabulary.names, random), pickOne(vocabulary.words, random))
    while (text.length < PAGE_LENGTH) text += `${random() < 0.15 ? '\n\n' : ' '}${sentence()}`
    return text
  }
  return new TextEncoder().encode(Array.from({ length: count }, page).join('\n\n'))
}

const said = (name: string, word: string): string =>
  `${name} lives in ${capital(word)}. ${name} works as a baker. I met ${name} in 1998.`

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
