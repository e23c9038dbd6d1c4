import { type Dates, datesIn } from './dates-in.ts'
import { type Predicate, PREDICATES } from './predicates.ts'
import type { Said } from './said.ts'

/** What a line of a CV says under its heading: "2001–2010 Research scientist, Institute of Tides". */
export function* factsInResume(
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
