import { findSentenceSpans } from '@parley/contracts'
import type { SpokenChunk } from '../chunks/split-chunks.ts'
import type { FactExtractor, NewFact, SourceContext } from '../ports/ingest-store.ts'
import { type Dates, findDates } from './dates.ts'
import { findFactsInSentence } from './facts-in-sentence.ts'
import { toEntityKey } from './names.ts'
import { ONE_AT_A_TIME, PREDICATES, type Predicate, type StatedFact } from './predicates.ts'
import { mayStateFact } from './speakers.ts'
import { type NounTest, maskQuotes } from './extract-objects.ts'
import { type Utterance, createUtteranceReader } from './utterances.ts'

const MAX_FACTS_PER_CHUNK = 40

/**
 * Extracts facts by rules, offline: only plain, certain statements. Create one extractor per source, because it remembers
 * the last speaker.
 */
export function createRuleExtractor(): FactExtractor {
  let readUtterances: ReturnType<typeof createUtteranceReader> | undefined
  return {
    async extract(chunks: readonly SpokenChunk[], context) {
      const hasNoun = await loadNounTest()
      const read = (readUtterances ??= createUtteranceReader(context))
      return chunks.flatMap((chunk) =>
        [...read(chunk)]
          .flatMap((utterance) => [...findFacts(utterance, chunk, context, hasNoun)])
          .slice(0, MAX_FACTS_PER_CHUNK),
      )
    },
  }
}

function* findFacts(
  utterance: Utterance,
  chunk: SpokenChunk,
  context: SourceContext,
  hasNoun: NounTest,
): Generator<NewFact> {
  const { from, to, speaker, place } = utterance
  const text = chunk.text.slice(from, to)
  const masked = maskQuotes(text)
  const { displayName, creatorName } = context
  const shared = { displayName, creatorName, speaker, date: findDay(place.date) }
  let previousSubject: string | undefined
  for (const span of findSentenceSpans(masked)) {
    const sentence = masked.slice(span.from, span.to)
    const { facts, subject } = findFactsInSentence(sentence, { ...shared, previousSubject }, hasNoun)
    previousSubject = subject
    const isLineStart = /(?:^|\n)\s*$/.test(text.slice(0, span.from))
    const listed = readResumeLine(sentence, speaker, place.heading, isLineStart)
    const quote = text.slice(span.from, span.to)
    for (const fact of [...facts, ...listed])
      if (mayStateFact({ speaker, quote }, fact.subject, context))
        yield toNewFact(fact, { quote: shortenQuote(quote), place, chunk: chunk.ordinal })
  }
}

const CHANGING: ReadonlySet<string> = new Set(['changing', 'mostly'])

const MAX_QUOTE_LENGTH = 400

function toNewFact(
  { subject, predicate, object, statement, confidence, dates }: StatedFact,
  evidence: NewFact['evidence'][number],
): NewFact {
  // A fact that can change is at least as recent as the text.
  const validFrom =
    dates?.validFrom ??
    (CHANGING.has(ONE_AT_A_TIME.get(predicate) ?? '') ? findDay(evidence.place.date) : undefined)
  return {
    subject,
    predicate,
    object,
    statement,
    confidence,
    ...(validFrom !== undefined && { validFrom }),
    ...(dates?.validTo !== undefined && { validTo: dates.validTo }),
    subjectKey: toEntityKey(subject),
    objectKey: toEntityKey(object),
    evidence: [evidence],
  }
}

const findDay = (date: string | undefined): string | undefined => /^\d{4}-\d{2}-\d{2}/.exec(date ?? '')?.[0]

function shortenQuote(quote: string): string {
  if (quote.length <= MAX_QUOTE_LENGTH) return quote
  const cut = quote.lastIndexOf(' ', MAX_QUOTE_LENGTH)
  return quote.slice(0, cut > 0 ? cut : MAX_QUOTE_LENGTH).trim()
}

/** Loads the large word list with the first source, not at process start. */
async function loadNounTest(): Promise<NounTest> {
  const { default: tagged } = await import('compromise/two')
  return (phrase) => {
    // Without an article, "boats" could be a verb.
    const words = tagged(/^(?:the|an?|my|our|some)\s/i.test(phrase) ? phrase : `the ${phrase}`)
    return words.has('#Noun') || words.has('#Gerund')
  }
}

/** Reads a line of a CV, such as "2001–2010 Research scientist, Institute of Tides". */
function* readResumeLine(
  line: string,
  person: string | undefined,
  heading: string | undefined,
  isLineStart: boolean,
): Generator<StatedFact> {
  const section = SECTIONS.find((candidate) => candidate.heading.test(heading ?? ''))
  if (!section || person === undefined) return
  // Further sentences describe the entry.
  if (section.hasOneEntryPerLine && !isLineStart) return
  const plain = line
    .replace(/^\s*[-*•]\s+/, '')
    .replace(/\*+|__/g, '')
    .replace(/\.\s*$/, '')
  for (const { predicate, object, dates } of section.read(plain)) {
    const tidy = object
      .trim()
      .replace(/[,:.]+$/, '')
      .replace(predicate === 'studied' ? DEGREE : '', '')
    if (!/^[^\n]{3,120}$/.test(tidy) || !/\p{L}{2}/u.test(tidy) || PROSE.test(tidy)) continue
    const statement = `${person} ${PREDICATES[predicate]} ${tidy}${dates?.phrase ?? ''}.`
    yield { subject: person, predicate, object: tidy, statement, confidence: 0.8, dates }
  }
}

const DEGREE =
  /^(?:Doctorate|Degree|Diploma|PhD|MSc|BSc|MA|BA|Master[’']?s?|Bachelor[’']?s?|Studies)(?: degree)? (?:in|of) /i

/** Prose between the entries. */
const PROSE = /^(?:I|We|My|In|On|At|By|This|That|It|There)\b|\b(?:I|my|we)\b/

interface ResumeEntry {
  readonly predicate: Predicate
  readonly object: string
  readonly dates?: Dates | undefined
}

interface Section {
  readonly heading: RegExp
  readonly hasOneEntryPerLine?: true
  readonly read: (line: string) => Iterable<ResumeEntry>
}

const SECTIONS: readonly Section[] = [
  {
    heading: /\b(?:experience|employment|work|career|positions?|posts?|appointments|jobs|berufserfahrung)\b/i,
    hasOneEntryPerLine: true,
    read: (line) => readTerm(line, ['works_as', 'worked_as'], ['works_at', 'worked_at']),
  },
  {
    heading: /\b(?:education|studies|training|degrees|ausbildung|studium)\b/i,
    hasOneEntryPerLine: true,
    read: (line) => readTerm(line, ['studied', 'studied'], ['studied_at', 'studied_at']),
  },
  { heading: /^(?:books|publications|bücher)$/i, read: (line) => readTitle(line, 'wrote') },
  {
    heading: /^(?:awards?|recognition|prizes|honours|honors|auszeichnungen)\b/i,
    read: (line) => readTitle(line, 'won'),
  },
  { heading: /^(?:languages|sprachen)$/i, read: readLanguages },
  { heading: /\b(?:health|medical|allergies|allergien)\b/i, read: readAllergies },
]

const YEAR = String.raw`(?:\p{Lu}\p{L}+\.? )?\d{4}`
const TERM = String.raw`(?:since (?<since>${YEAR})|(?<from>${YEAR})(?:\s?(?:[-–—]|to|until)\s?(?<to>${YEAR}|present|today|now|heute))?)`
const TERM_FIRST = new RegExp(String.raw`^${TERM}\s*[:,|–—-]?\s+(?<rest>.+)$`, 'iu')
const TERM_LAST = new RegExp(String.raw`^(?<rest>[^.;]+?)[,:]? \(?${TERM}\)?(?:[.;,].*)?$`, 'iu')

/** A role, its place and its period. */
function* readTerm(
  line: string,
  [role, formerRole]: readonly [Predicate, Predicate],
  [place, formerPlace]: readonly [Predicate, Predicate],
): Generator<ResumeEntry> {
  const found = (TERM_FIRST.exec(line) ?? TERM_LAST.exec(line))?.groups
  const rest = found?.['rest']
  if (!found || rest === undefined) return
  const { since, from = '', to } = found
  const hasEnded = since === undefined && to !== undefined && /\d/.test(to)
  const dates = findDates(hasEnded ? `from ${from} to ${to}` : `since ${since ?? from}`, 'state')
  const [title = '', ...parts] = rest.split(/, | at | [—–|] /)
  // Skip later roles at the same place.
  const where = parts.filter(
    (part) => !/^(?:later|then|now|first|finally|formerly|since|until)\b/i.test(part),
  )
  const isSchool =
    /\b(?:school|university|college|academy|schule|universität)\b/i.test(title) && where.length === 0
  yield { predicate: isSchool ? 'studied_at' : hasEnded ? formerRole : role, object: title, dates }
  if (where.length > 0) yield { predicate: hasEnded ? formerPlace : place, object: where.join(', '), dates }
}

/** A title with its year. */
function* readTitle(line: string, predicate: Predicate): Generator<ResumeEntry> {
  const found = /^(?<title>\p{Lu}[^,(\n]{2,100}?)(?: \(|, )(?:[^()\n]*?, )?(?<year>\d{4})\b/u.exec(
    line,
  )?.groups
  if (found?.['title'] === undefined || /^In \d/.test(line)) return
  yield { predicate, object: found['title'], dates: findDates(`in ${found['year']}`, 'event') }
}

function* readAllergies(line: string): Generator<ResumeEntry> {
  const found = /^Allergic to (?<name>[\p{L}][\p{L} -]{2,60}?)(?: of every kind)?$/u.exec(line)?.groups
  if (found?.['name'] !== undefined) yield { predicate: 'allergic_to', object: found['name'] }
}

function* readLanguages(line: string): Generator<ResumeEntry> {
  for (const part of line.split(/[.;,]\s+/)) {
    const language =
      /^(?:Enough |Some |Fluent )?(?<name>\p{Lu}\p{Ll}{2,20}(?:ish|ese|ian|an|ch|ic|isch|sch|i|ek|ew|nd))\b/u.exec(
        part,
      )
    if (language?.groups?.['name'] !== undefined)
      yield { predicate: 'speaks', object: language.groups['name'] }
  }
}
