import { sentencesOf } from '../chunks/sentences.ts'
import type { About, FactExtractor } from '../ports/fact-extractor.ts'
import type { Chunk, NewFact } from '../ports/ingest-store.ts'
import { factsInSentence, type Said } from './facts-in-sentence.ts'
import { entityKey } from './entity-key.ts'
import { factsInResume } from './facts-in-resume.ts'
import { maskQuotes } from './mask-quotes.ts'
import { ONE_AT_A_TIME } from './predicates.ts'
import type { HasNoun } from './tidy-object.ts'
import { createListener } from './utterances.ts'

const MOST_OF_A_CHUNK = 40

/** Finds facts by rules, offline: plain statements of the person themself and of others, and nothing that is unsure. */
export const ruleExtractor: FactExtractor = {
  async extract(chunks, about) {
    const hasNoun = await nounFinder()
    const utterancesOf = createListener(about)
    return chunks.flatMap((chunk) => {
      const masked = maskQuotes(chunk.text)
      const facts: NewFact[] = []
      for (const { from, to, speaker } of utterancesOf(chunk)) {
        let before: string | undefined
        for (const span of sentencesOf(masked.slice(from, to))) {
          const sentence = masked.slice(from + span.from, from + span.to)
          const quote = chunk.text.slice(from + span.from, from + span.to)
          const { said, subject } = factsInSentence(sentence, { ...voiceOf(about), speaker, before }, hasNoun)
          for (const one of said) facts.push(newFact(one, quote, chunk))
          before = subject
          for (const one of factsInResume(sentence, speaker, chunk.place.heading))
            facts.push(newFact(one, quote, chunk))
        }
      }
      return facts.slice(0, MOST_OF_A_CHUNK)
    })
  },
}

const voiceOf = ({ displayName, creatorName }: About) => ({
  displayName,
  ...(creatorName !== undefined && { creatorName }),
})

const CHANGING: ReadonlySet<string> = new Set(['changing', 'mostly'])

const LONGEST_QUOTE = 400

function newFact(
  { subject, predicate, object, statement, confidence, dates }: Said,
  quote: string,
  { place, ordinal }: Chunk,
): NewFact {
  // What can change is at least as new as when it was said.
  const validFrom =
    dates?.validFrom ?? (CHANGING.has(ONE_AT_A_TIME.get(predicate) ?? '') ? dayOf(place.date) : undefined)
  return {
    subject,
    predicate,
    object,
    statement,
    confidence,
    ...(validFrom !== undefined && { validFrom }),
    ...(dates?.validTo !== undefined && { validTo: dates.validTo }),
    subjectKey: entityKey(subject),
    objectKey: entityKey(object),
    evidence: [{ quote: shortened(quote), place, chunk: ordinal }],
  }
}

const dayOf = (date: string | undefined): string | undefined => /^\d{4}-\d{2}-\d{2}/.exec(date ?? '')?.[0]

function shortened(quote: string): string {
  if (quote.length <= LONGEST_QUOTE) return quote
  const cut = quote.lastIndexOf(' ', LONGEST_QUOTE)
  return quote.slice(0, cut > 0 ? cut : LONGEST_QUOTE).trim()
}

/** The word list is large, so it is loaded when the first source is read, not when a process starts. */
async function nounFinder(): Promise<HasNoun> {
  const { default: tagged } = await import('compromise/two')
  return (phrase) => {
    // By itself "boats" may be something that one does.
    const words = tagged(/^(?:the|an?|my|our|some)\s/i.test(phrase) ? phrase : `the ${phrase}`)
    return words.has('#Noun') || words.has('#Gerund')
  }
}
