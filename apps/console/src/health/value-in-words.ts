import { shortMoneyOf } from '@parley/contracts'

/** What the numbers of a chart are. */
export type Unit = 'count' | 'ms' | 'money'

/** A number of a chart for people; a dash where nothing was measured. */
export function valueInWords(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–'
  switch (unit) {
    case 'count':
      return Math.round(value).toLocaleString('en-GB')
    case 'ms':
      return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`
    case 'money':
      return shortMoneyOf(Math.round(value))
    default:
      return unit satisfies never
  }
}

/** What a line comes to over the whole time: a sum, or of times the longest. */
export function wholeOf(values: readonly (number | null)[], unit: Unit): number | null {
  const measured = values.filter((value) => value !== null)
  if (unit === 'ms') return measured.length === 0 ? null : Math.max(...measured)
  return measured.reduce((sum, value) => sum + value, 0)
}
