import { MONTHS, NUMBER_WORDS } from '@parley/contracts'

/** When something was so, as far as a clause says it: years, months or days as 2001, 2001-05 or 2001-05-31. */
export interface Dates {
  readonly validFrom?: string
  readonly validTo?: string
  /** How the clause says it, as the end of a sentence. */
  readonly said: string
}

export function datesIn(clause: string, is: 'event' | 'state'): Dates | undefined {
  for (const { pattern, ends } of FORMS) {
    const found = pattern.exec(clause)?.groups
    if (!found) continue
    const from = isoOf(found['from'])
    const to = isoOf(found['to'])
    if (from !== undefined && to !== undefined && to < from) continue
    if (from !== undefined && to !== undefined)
      return { validFrom: from, validTo: to, said: ` from ${from} to ${to}` }
    if (to !== undefined) return { validTo: to, said: ` until ${to}` }
    if (from === undefined) continue
    const word = ends === 'since' && is === 'state' ? 'since' : from.length > 7 ? 'on' : 'in'
    return { validFrom: from, said: ` ${word} ${from}` }
  }
  return undefined
}

/** A clause without a date at its end. */
export const withoutDates = (clause: string): string => clause.replace(AT_END, '').trimEnd()

const MONTH = String.raw`(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?`
const DATE = String.raw`(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH},? \d{4}|${MONTH} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|(?:${MONTH},? )?(?:of )?\d{4}(?:-\d{2}(?:-\d{2})?)?)(?![\d%])`
const named = (name: string) => `(?<${name}>${DATE})`
const WHEN = String.raw`(?:the )?(?:(?:early|late|mid|spring|summer|autumn|winter|fall|end|beginning|start) (?:of )?)*`

const FORMS: readonly { readonly pattern: RegExp; readonly ends: 'range' | 'since' | 'on' }[] = [
  {
    pattern: new RegExp(
      String.raw`\b(?:from|between|von|zwischen) ${named('from')}\s*(?:to|until|till|through|and|bis|und|[-–—])\s*${named('to')}`,
      'iu',
    ),
    ends: 'range',
  },
  { pattern: new RegExp(String.raw`(?<!\d)(?<from>\d{4})\s?[-–—]\s?(?<to>\d{4})(?!\d)`, 'u'), ends: 'range' },
  {
    pattern: new RegExp(String.raw`\b(?:since|from|as of|seit|ab) ${WHEN}${named('from')}`, 'iu'),
    ends: 'since',
  },
  { pattern: new RegExp(String.raw`\b(?:until|till|up to|bis) ${WHEN}${named('to')}`, 'iu'), ends: 'range' },
  {
    pattern: new RegExp(String.raw`\b(?:in|on|im|am|around|by|of|during) ${WHEN}${named('from')}`, 'iu'),
    ends: 'on',
  },
]

const AT_END = new RegExp(
  String.raw`,?\s*\b(?:(?:from|between|since|until|till|up to|in|on|around|by|during|seit|von|bis|im|am)\s+)${WHEN}${DATE}[^]*$|\s*\(\d{4}[^)]*\)?$`,
  'iu',
)

function isoOf(date: string | undefined): string | undefined {
  if (date === undefined) return undefined
  const year = /\d{4}/.exec(date)?.[0]
  if (year === undefined || year < '1500' || year > '2199') return undefined
  if (/^\d{4}-/.test(date)) return date
  const word = /[A-Za-z]{3,}/.exec(date.replace(/\b(?:of|the)\b/gi, ''))?.[0]?.toLowerCase()
  const month =
    word === undefined ? -1 : MONTHS.findIndex((name) => name.toLowerCase().startsWith(word.slice(0, 3)))
  if (month < 0) return year
  const day = /(?<!\d)\d{1,2}(?!\d)/.exec(date.replace(year, ''))?.[0]
  const inYear = `${year}-${String(month + 1).padStart(2, '0')}`
  return day === undefined || Number(day) > 31 || Number(day) < 1
    ? inYear
    : `${inYear}-${day.padStart(2, '0')}`
}

/** A time relative to the day of the text: the words, and the date where it is known. */
interface RelativeTime {
  readonly words: string
  readonly at?: string
}

/** "Yesterday", "two years ago", "till 8": undefined where a clause has nothing like it. */
export function relativeTimeIn(clause: string, said: string | undefined): RelativeTime | undefined {
  for (const { words, at } of TIMES) {
    const found = words.exec(clause)
    if (!found) continue
    const when = said === undefined ? undefined : at?.(new Date(`${said}T00:00:00Z`), found)
    return { words: found[0], ...(when !== undefined && { at: when }) }
  }
  return undefined
}

type Resolve = (said: Date, found: RegExpExecArray) => string | undefined

const COUNTS = NUMBER_WORDS.slice(0, 10)
const WEEKDAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const DAY = 86_400_000

const TIMES: readonly { readonly words: RegExp; readonly at?: Resolve }[] = [
  { words: /\b(?:the day before yesterday|vorgestern)\b/i, at: (said) => daysBefore(said, 2) },
  {
    words: /\b(?:yesterday(?: (?:morning|afternoon|evening))?|last night|gestern)\b/i,
    at: (said) => daysBefore(said, 1),
  },
  {
    words: /\b(?:today|this (?:morning|afternoon|evening)|tonight|just now|earlier on|heute)\b/i,
    at: (said) => daysBefore(said, 0),
  },
  {
    words: new RegExp(String.raw`\b(an?|\d{1,2}|${COUNTS.join('|')}) (day|week|month|year)s? ago\b`, 'i'),
    at: (said, [, count = '', unit = '']) => ago(said, numberOf(count), unit),
  },
  { words: /\blast (month|year)\b/i, at: (said, [, unit = '']) => ago(said, 1, unit) },
  { words: /\bthis (month|year)\b/i, at: (said, [, unit = '']) => ago(said, 0, unit) },
  {
    words: new RegExp(
      String.raw`\b(?:tomorrow|day after|(?:last|this|next) (?:week|weekend|month|year|spring|summer|autumn|winter|time|${WEEKDAY})|(?:on |by |until |till )?${WEEKDAY}|soon|(?:till|until|from|by|at|before|after) \d{1,2}(?:[:.]\d{2})?(?: ?[ap]\.?m\.?| o['’]clock)?|morgen|übermorgen)(?![\p{L}\d])`,
      'iu',
    ),
  },
]

const numberOf = (count: string): number =>
  /^\d/.test(count) ? Number(count) : /^an?$/i.test(count) ? 1 : COUNTS.indexOf(count.toLowerCase()) + 1

const daysBefore = (said: Date, days: number): string =>
  new Date(said.getTime() - days * DAY).toISOString().slice(0, 10)

function ago(said: Date, count: number, unit: string): string {
  if (unit === 'day') return daysBefore(said, count)
  if (unit === 'week') return daysBefore(said, 7 * count).slice(0, 7)
  if (unit === 'year') return String(said.getUTCFullYear() - count)
  return new Date(Date.UTC(said.getUTCFullYear(), said.getUTCMonth() - count)).toISOString().slice(0, 7)
}
