/** A dollar has eight more digits in micro-cents. */
const DIGITS = 8

/** Formats an exact amount, with at least two decimals. */
export function formatMoney(microcents: number): string {
  const { dollars, rest } = splitAmount(microcents)
  return `$${dollars}.${rest.replace(/0{1,6}$/, '')}`
}

/** Formats an amount for a status line, rounded up: two decimals from one dollar, otherwise four. */
export function formatShortMoney(microcents: number): string {
  if (microcents === 0) return '$0'
  if (microcents < 10_000) return 'less than $0.0001'
  const digits = microcents < 10 ** DIGITS ? 4 : 2
  const unit = 10 ** (DIGITS - digits)
  const missing = (unit - (microcents % unit)) % unit
  const { dollars, rest } = splitAmount(microcents + missing)
  return `$${dollars}.${rest.slice(0, digits)}`
}

/** Splits the digits instead of dividing, which would not be exact. */
function splitAmount(microcents: number): { readonly dollars: string; readonly rest: string } {
  const digits = String(microcents).padStart(DIGITS + 1, '0')
  return { dollars: digits.slice(0, -DIGITS), rest: digits.slice(-DIGITS) }
}
