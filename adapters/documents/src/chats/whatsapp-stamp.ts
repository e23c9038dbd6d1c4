import { linesOf } from '../text/lines-of.ts'

/** The date and time that a message opens with, as it stands. */
export interface Stamp {
  readonly date: readonly [number, number, number]
  readonly separator: string
  readonly hour: number
  readonly minute: string
  readonly second?: string
  readonly half?: 'a' | 'p'
  /** Of all of it, in characters. */
  readonly length: number
}

/** In which order the numbers of a date stand. */
export type DateOrder = 'day-month' | 'month-day' | 'year-month'

// "[31.12.20, 23:59:59] " on an iPhone, "12/31/20, 11:59 PM - " on Android.
const STAMP =
  /^(\[?)(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})\.?,?\s(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:\s?([ap])\.?\s?m\.?)?(\]\s|\s-\s)/i

export function readStamp(line: string): Stamp | undefined {
  const found = STAMP.exec(line)
  if (!found) return undefined
  const [whole, bracket, first, separator = '', second, third, hour, minute = '', seconds, half, end = ''] =
    found
  if ((bracket === '[') !== end.startsWith(']')) return undefined
  return {
    date: [Number(first), Number(second), Number(third)],
    separator,
    hour: Number(hour),
    minute,
    ...(seconds ? { second: seconds } : {}),
    ...(half ? { half: half.toLowerCase() === 'p' ? 'p' : 'a' } : {}),
    length: whole.length,
  }
}

/** Each phone writes dates by its own region; a day after the 12th tells which. */
export function dateOrder(text: string): DateOrder {
  let guess: DateOrder = 'day-month'
  for (const { text: line } of linesOf(text)) {
    const stamp = readStamp(line)
    if (!stamp) continue
    const [first, second] = stamp.date
    if (first > 31) return 'year-month'
    if (first > 12) return 'day-month'
    if (second > 12) return 'month-day'
    // Only Americans write slashes and halves of the day, as a rule.
    guess = stamp.half && stamp.separator === '/' ? 'month-day' : 'day-month'
  }
  return guess
}

/** As 2020-12-31T23:59; undefined where there is no such day or time. */
export function stampDate(stamp: Stamp, order: DateOrder): string | undefined {
  const [first, second, third] = stamp.date
  const [year, month, day] =
    order === 'year-month'
      ? [first, second, third]
      : order === 'month-day'
        ? [third, first, second]
        : [third, second, first]
  const fullYear = year < 100 ? 2000 + year : year
  const hour = stamp.half ? (stamp.hour % 12) + (stamp.half === 'p' ? 12 : 0) : stamp.hour
  const date = `${String(fullYear).padStart(4, '0')}-${two(month)}-${two(day)}`
  const time = `${two(hour)}:${stamp.minute}${stamp.second ? `:${stamp.second}` : ''}`
  const known = new Date(Date.UTC(fullYear, month - 1, day))
  const isReal = known.getUTCMonth() === month - 1 && known.getUTCDate() === day
  return isReal && hour < 24 && stamp.minute < '60' ? `${date}T${time}` : undefined
}

const two = (number: number) => String(number).padStart(2, '0')
