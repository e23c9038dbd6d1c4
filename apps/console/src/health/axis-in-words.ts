import { type Unit, valueInWords } from './value-in-words.ts'

const MICROCENTS = 100_000_000
/** Below it a price has more noughts than there is room for. */
const LEAST_SHOWN = 10_000

/** A number beside a chart, as short as can be; nothing for half of what has no halves. */
export function axisValue(value: number, unit: Unit): string {
  if (unit === 'money') {
    if (value === 0) return '$0'
    return value < LEAST_SHOWN ? '' : `$${Number((value / MICROCENTS).toPrecision(2))}`
  }
  return Number.isInteger(value) ? valueInWords(value, unit) : ''
}

const DAY_SECONDS = 86_400

/** A moment below a chart whose marks are so far apart: its time, or its day. */
export function axisTime(seconds: number, apart: number): string {
  const at = new Date(seconds * 1_000)
  if (apart < DAY_SECONDS) return at.toLocaleTimeString(undefined, { timeStyle: 'short' })
  return at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
}
