import { asSentence } from './as-sentence.ts'

/** What somebody denies, and what they say in its place, each as a whole sentence. */
export interface DeniedFact {
  readonly fact: string
  /** The part of it that is said to be wrong. */
  readonly wrong: string
  readonly right: string
}

/** "Your wife is not Ingrid, she is Anna." Undefined where nothing is denied so. */
export function deniedFact(said: string): DeniedFact | undefined {
  if (said.length > LONGEST) return undefined
  const [, subject = '', verb = '', wrong = '', right = ''] = DENIES.exec(said.trim()) ?? []
  if (subject === '') return undefined
  return {
    fact: asSentence(`${subject} ${verb} ${wrong}`),
    wrong,
    right: asSentence(`${subject} ${verb} ${right.replace(/[.!\s]+$/, '')}`),
  }
}

const LONGEST = 300
const DENIES =
  /^(?:no[,.!]? )?((?:your|my) [\p{L}-]+(?: [\p{L}-]+)?|you|I) (am|is|are|was|were)(?: not|n['’]t) ([^,;.?]+)[,;.]? (?:but |(?:she|he|it|they|you|I)(?: (?:am|is|are|was|were)|['’](?:s|re|m)) )([^?]+)$/iu
