/** A dollar has eight more digits in micro-cents. */
const DIGITS = 8

/** An amount to the micro-cent: at least two digits after the point, and no more than it takes. */
export function moneyOf(microcents: number): string {
  const { dollars, rest } = split(microcents)
  return `$${dollars}.${rest.replace(/0{1,6}$/, '')}`
}

/** An amount as a quiet line has it: to the cent once it has some, with more digits below, rounded up. */
export function shortMoneyOf(microcents: number): string {
  if (microcents === 0) return '$0'
  if (microcents < 10_000) return 'less than $0.0001'
  const digits = microcents < 10 ** DIGITS ? 4 : 2
  const unit = 10 ** (DIGITS - digits)
  const missing = (unit - (microcents % unit)) % unit
  const { dollars, rest } = split(microcents + missing)
  return `$${dollars}.${rest.slice(0, digits)}`
}

/** Digits are moved, not divided: a fraction of a number would not be exact. */
function split(microcents: number): { readonly dollars: string; readonly rest: string } {
  const digits = String(microcents).padStart(DIGITS + 1, '0')
  return { dollars: digits.slice(0, -DIGITS), rest: digits.slice(-DIGITS) }
}
