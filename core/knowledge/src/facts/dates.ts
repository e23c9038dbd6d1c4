import { MONTHS, NUMBER_WORDS } from '@parley/contracts'

/** The period in which a fact is true, as years, months or days: 2001, 2001-05 or 2001-05-31. */
export interface Dates {
  readonly validFrom?: string
  readonly validTo?: string
  /** The period as the end of a sentence, such as " since 2001". */
  readonly phrase: string
}

/** Finds the dates in a clause. */
export function findDates(clause: string, kind: 'event' | 'state'): Dates | undefined {
  for (const { pattern, type } of FORMS) {
    const found = pattern.exec(clause)?.groups
    if (!found) continue
    const from = toIso(found['from'])
    const to = toIso(found['to'])
    if (from !== undefined && to !== undefined && to < from) continue
    if (from !== undefined && to !== undefined)
      return { validFrom: from, validTo: to, phrase: ` from ${from} to ${to}` }
    if (to !== undefined) return { validTo: to, phrase: ` until ${to}` }
    if (from === undefined) continue
    const word = type === 'since' && kind === 'state' ? 'since' : from.length > 7 ? 'on' : 'in'
    return { validFrom: from, phrase: ` ${word} ${from}` }
  }
  return undefined
}

/** Removes a date at the end of a clause. */
export const removeDates = (clause: string): string => clause.replace(AT_END, '').trimEnd()

const MONTH = String.raw`(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?`
const DATE = String.raw`(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH},? \d{4}|${MONTH} \d{1,2}(?:st|nd|rd|th)?,? \d{4}|(?:${MONTH},? )?(?:of )?\d{4}(?:-\d{2}(?:-\d{2})?)?)(?![\d%])`
const captureDate = (name: string) => `(?<${name}>${DATE})`
const WHEN = String.raw`(?:the )?(?:(?:early|late|mid|spring|summer|autumn|winter|fall|end|beginning|start) (?:of )?)*`

const FORMS: readonly { readonly pattern: RegExp; readonly type: 'range' | 'since' | 'on' }[] = [
  {
    pattern: new RegExp(
      String.raw`\b(?:from|between|von|zwischen) ${captureDate('from')}\s*(?:to|until|till|through|and|bis|und|[-–—])\s*${captureDate('to')}`,
      'iu',
    ),
    type: 'range',
  },
  { pattern: new RegExp(String.raw`(?<!\d)(?<from>\d{4})\s?[-–—]\s?(?<to>\d{4})(?!\d)`, 'u'), type: 'range' },
  {
    pattern: new RegExp(String.raw`\b(?:since|from|as of|seit|ab) ${WHEN}${captureDate('from')}`, 'iu'),
    type: 'since',
  },
  {
    pattern: new RegExp(String.raw`\b(?:until|till|up to|bis) ${WHEN}${captureDate('to')}`, 'iu'),
    type: 'range',
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:in|on|im|am|around|by|of|during) ${WHEN}${captureDate('from')}`,
      'iu',
    ),
    type: 'on',
  },
]

const AT_END = new RegExp(
  String.raw`,?\s*\b(?:(?:from|between|since|until|till|up to|in|on|around|by|during|seit|von|bis|im|am)\s+)${WHEN}${DATE}[^]*$|\s*\(\d{4}[^)]*\)?$`,
  'iu',
)

function toIso(date: string | undefined): string | undefined {
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

/** A time relative to the date of the text: its words, and the absolute date if known. */
interface RelativeTime {
  readonly words: string
  readonly date?: string
}

/** Finds words such as "yesterday", "two years ago" or "till 8". */
export function findRelativeTime(clause: string, textDate: string | undefined): RelativeTime | undefined {
  for (const { words, resolve } of RELATIVE_TIMES) {
    const found = words.exec(clause)
    if (!found) continue
    const date = textDate === undefined ? undefined : resolve?.(new Date(`${textDate}T00:00:00Z`), found)
    return { words: found[0], ...(date !== undefined && { date }) }
  }
  return undefined
}

type Resolve = (textDate: Date, found: RegExpExecArray) => string | undefined

const COUNTS = NUMBER_WORDS.slice(0, 10)
const WEEKDAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const DAY = 86_400_000

const RELATIVE_TIMES: readonly { readonly words: RegExp; readonly resolve?: Resolve }[] = [
  { words: /\b(?:the day before yesterday|vorgestern)\b/i, resolve: (textDate) => subtractDays(textDate, 2) },
  {
    words: /\b(?:yesterday(?: (?:morning|afternoon|evening))?|last night|gestern)\b/i,
    resolve: (textDate) => subtractDays(textDate, 1),
  },
  {
    words: /\b(?:today|this (?:morning|afternoon|evening)|tonight|just now|earlier on|heute)\b/i,
    resolve: (textDate) => subtractDays(textDate, 0),
  },
  {
    words: new RegExp(String.raw`\b(an?|\d{1,2}|${COUNTS.join('|')}) (day|week|month|year)s? ago\b`, 'i'),
    resolve: (textDate, [, count = '', unit = '']) => subtractUnits(textDate, toNumber(count), unit),
  },
  { words: /\blast (month|year)\b/i, resolve: (textDate, [, unit = '']) => subtractUnits(textDate, 1, unit) },
  { words: /\bthis (month|year)\b/i, resolve: (textDate, [, unit = '']) => subtractUnits(textDate, 0, unit) },
  {
    words: new RegExp(
      String.raw`\b(?:tomorrow|day after|(?:last|this|next) (?:week|weekend|month|year|spring|summer|autumn|winter|time|${WEEKDAY})|(?:on |by |until |till )?${WEEKDAY}|soon|(?:till|until|from|by|at|before|after) \d{1,2}(?:[:.]\d{2})?(?: ?[ap]\.?m\.?| o['’]clock)?|morgen|übermorgen)(?![\p{L}\d])`,
      'iu',
    ),
  },
]

const toNumber = (count: string): number =>
  /^\d/.test(count) ? Number(count) : /^an?$/i.test(count) ? 1 : COUNTS.indexOf(count.toLowerCase()) + 1

const subtractDays = (date: Date, days: number): string =>
  new Date(date.getTime() - days * DAY).toISOString().slice(0, 10)

function subtractUnits(date: Date, count: number, unit: string): string {
  if (unit === 'day') return subtractDays(date, count)
  if (unit === 'week') return subtractDays(date, 7 * count).slice(0, 7)
  if (unit === 'year') return String(date.getUTCFullYear() - count)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - count)).toISOString().slice(0, 7)
}
