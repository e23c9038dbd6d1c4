import { sentencesOf } from '../chunks/sentences.ts'
import type { SpokenChunk } from '../chunks/split-chunks.ts'
import type { About, FactExtractor, NewFact } from '../ports/ingest-store.ts'
import { type Dates, datesIn } from './dates.ts'
import { factsInSentence } from './facts-in-sentence.ts'
import { entityKey } from './names.ts'
import { ONE_AT_A_TIME, PREDICATES, type Predicate, type Said } from './predicates.ts'
import { mayTell } from './speakers.ts'
import { type HasNoun, maskQuotes } from './tidy-object.ts'
import { type Utterance, createListener } from './utterances.ts'

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

/** What a line of a CV says under its heading: "2001–2010 Research scientist, Institute of Tides". */
function* factsInResume(
  line: string,
  person: string | undefined,
  heading: string | undefined,
  stands: 'opens a line' | 'goes on',
): Generator<Said> {
  const section = SECTIONS.find((one) => one.heading.test(heading ?? ''))
  if (!section || person === undefined) return
  // What comes after an entry's first sentence speaks of that entry.
  if (section.of === 'lines' && stands === 'goes on') return
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
    const statement = `${person} ${PREDICATES[predicate]} ${tidy}${dates?.said ?? ''}.`
    yield { subject: person, predicate, object: tidy, statement, confidence: 0.8, dates }
  }
}

const DEGREE =
  /^(?:Doctorate|Degree|Diploma|PhD|MSc|BSc|MA|BA|Master[’']?s?|Bachelor[’']?s?|Studies)(?: degree)? (?:in|of) /i

/** Whole sentences may stand between the lines. */
const PROSE = /^(?:I|We|My|In|On|At|By|This|That|It|There)\b|\b(?:I|my|we)\b/

interface Found {
  readonly predicate: Predicate
  readonly object: string
  readonly dates?: Dates | undefined
}

interface Section {
  readonly heading: RegExp
  readonly of?: 'lines'
  readonly read: (line: string) => Iterable<Found>
}

const SECTIONS: readonly Section[] = [
  {
    heading: /\b(?:experience|employment|work|career|positions?|posts?|appointments|jobs|berufserfahrung)\b/i,
    of: 'lines',
    read: (line) => termIn(line, ['works_as', 'worked_as'], ['works_at', 'worked_at']),
  },
  {
    heading: /\b(?:education|studies|training|degrees|ausbildung|studium)\b/i,
    of: 'lines',
    read: (line) => termIn(line, ['studied', 'studied'], ['studied_at', 'studied_at']),
  },
  { heading: /^(?:books|publications|bücher)$/i, read: (line) => titledIn(line, 'wrote') },
  {
    heading: /^(?:awards?|recognition|prizes|honours|honors|auszeichnungen)\b/i,
    read: (line) => titledIn(line, 'won'),
  },
  { heading: /^(?:languages|sprachen)$/i, read: languagesIn },
  { heading: /\b(?:health|medical|allergies|allergien)\b/i, read: allergiesIn },
]

const YEAR = String.raw`(?:\p{Lu}\p{L}+\.? )?\d{4}`
const TERM = String.raw`(?:since (?<since>${YEAR})|(?<from>${YEAR})(?:\s?(?:[-–—]|to|until)\s?(?<to>${YEAR}|present|today|now|heute))?)`
const TERM_FIRST = new RegExp(String.raw`^${TERM}\s*[:,|–—-]?\s+(?<rest>.+)$`, 'iu')
const TERM_LAST = new RegExp(String.raw`^(?<rest>[^.;]+?)[,:]? \(?${TERM}\)?(?:[.;,].*)?$`, 'iu')

/** What somebody was, where, and from when to when. */
function* termIn(
  line: string,
  [isNow, wasThen]: readonly [Predicate, Predicate],
  [isThere, wasThere]: readonly [Predicate, Predicate],
): Generator<Found> {
  const found = (TERM_FIRST.exec(line) ?? TERM_LAST.exec(line))?.groups
  const rest = found?.['rest']
  if (!found || rest === undefined) return
  const { since, from = '', to } = found
  const hasEnded = since === undefined && to !== undefined && /\d/.test(to)
  const dates = datesIn(hasEnded ? `from ${from} to ${to}` : `since ${since ?? from}`, 'state')
  const [what = '', ...parts] = rest.split(/, | at | [—–|] /)
  // What they became there is no place.
  const where = parts.filter(
    (part) => !/^(?:later|then|now|first|finally|formerly|since|until)\b/i.test(part),
  )
  const isSchool =
    /\b(?:school|university|college|academy|schule|universität)\b/i.test(what) && where.length === 0
  yield { predicate: isSchool ? 'studied_at' : hasEnded ? wasThen : isNow, object: what, dates }
  if (where.length > 0) yield { predicate: hasEnded ? wasThere : isThere, object: where.join(', '), dates }
}

/** A title, and the last year of its line. */
function* titledIn(line: string, predicate: Predicate): Generator<Found> {
  const found = /^(?<title>\p{Lu}[^,(\n]{2,100}?)(?: \(|, )(?:[^()\n]*?, )?(?<year>\d{4})\b/u.exec(
    line,
  )?.groups
  if (found?.['title'] === undefined || /^In \d/.test(line)) return
  yield { predicate, object: found['title'], dates: datesIn(`in ${found['year']}`, 'event') }
}

function* allergiesIn(line: string): Generator<Found> {
  const found = /^Allergic to (?<what>[\p{L}][\p{L} -]{2,60}?)(?: of every kind)?$/u.exec(line)?.groups
  if (found?.['what'] !== undefined) yield { predicate: 'allergic_to', object: found['what'] }
}

function* languagesIn(line: string): Generator<Found> {
  for (const part of line.split(/[.;,]\s+/)) {
    const language =
      /^(?:Enough |Some |Fluent )?(?<name>\p{Lu}\p{Ll}{2,20}(?:ish|ese|ian|an|ch|ic|isch|sch|i|ek|ew|nd))\b/u.exec(
        part,
      )
    if (language?.groups?.['name'] !== undefined)
      yield { predicate: 'speaks', object: language.groups['name'] }
  }
}
