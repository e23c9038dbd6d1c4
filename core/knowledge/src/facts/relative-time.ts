import { NUMBER_WORDS } from '@parley/contracts'

/** A time that is told from the day on which it is said: the words, and when that was where it can be told. */
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
