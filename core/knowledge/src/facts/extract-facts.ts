import { sentencesOf } from '../chunks/sentences.ts'
import type { SpokenChunk } from '../chunks/split-chunks.ts'
import type { About, FactExtractor } from '../ports/fact-extractor.ts'
import type { NewFact } from '../ports/ingest-store.ts'
import { factsInSentence } from './facts-in-sentence.ts'
import { entityKey } from './entity-key.ts'
import { factsInResume } from './facts-in-resume.ts'
import { maskQuotes } from './mask-quotes.ts'
import { mayTell } from './may-tell.ts'
import { ONE_AT_A_TIME } from './predicates.ts'
import type { Said } from './said.ts'
import type { HasNoun } from './tidy-object.ts'
import { createListener, type Utterance } from './utterances.ts'

const MOST_OF_A_CHUNK = 40

/**
 * Finds facts by rules, offline: plain statements of the person themself and of others, and nothing that is unsure. One
 * for each source: it remembers who spoke last.
 */
export function createRuleExtractor(): FactExtractor {
  let utterancesOf: ReturnType<typeof createListener> | undefined
  return {
    async extract(chunks: readonly SpokenChunk[], about) {
      const hasNoun = await nounFinder()
      const listen = (utterancesOf ??= createListener(about))
      return chunks.flatMap((chunk) =>
        [...listen(chunk)]
          .flatMap((utterance) => [...factsIn(utterance, chunk, about, hasNoun)])
          .slice(0, MOST_OF_A_CHUNK),
      )
    },
  }
}

function* factsIn(
  utterance: Utterance,
  chunk: SpokenChunk,
  about: About,
  hasNoun: HasNoun,
): Generator<NewFact> {
  const { from, to, speaker, place } = utterance
  const text = chunk.text.slice(from, to)
  const masked = maskQuotes(text)
  const voice = { ...voiceOf(about), speaker, date: dayOf(place.date) }
  let before: string | undefined
  for (const span of sentencesOf(masked)) {
    const sentence = masked.slice(span.from, span.to)
    const { said, subject } = factsInSentence(sentence, { ...voice, before }, hasNoun)
    before = subject
    const stands = /(?:^|\n)\s*$/.test(text.slice(0, span.from)) ? 'opens a line' : 'goes on'
    const listed = factsInResume(sentence, speaker, place.heading, stands)
    const quote = text.slice(span.from, span.to)
    for (const one of [...said, ...listed])
      if (mayTell({ speaker, quote }, one.subject, about))
        yield newFact(one, { quote: shortened(quote), place, chunk: chunk.ordinal })
  }
}

const voiceOf = ({ displayName, creatorName }: About) => ({
  displayName,
  ...(creatorName !== undefined && { creatorName }),
})

const CHANGING: ReadonlySet<string> = new Set(['changing', 'mostly'])

const LONGEST_QUOTE = 400

function newFact(
  { subject, predicate, object, statement, confidence, dates }: Said,
  evidence: NewFact['evidence'][number],
): NewFact {
  // What can change is at least as new as when it was said.
  const validFrom =
    dates?.validFrom ??
    (CHANGING.has(ONE_AT_A_TIME.get(predicate) ?? '') ? dayOf(evidence.place.date) : undefined)
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
    evidence: [evidence],
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
