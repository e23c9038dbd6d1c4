const MICROCENTS_IN_DOLLAR = 100_000_000

/** An amount as a person reads it: to the cent once it has some, with more digits below. */
export function moneyOf(microcents: number): string {
  const dollars = microcents / MICROCENTS_IN_DOLLAR
  if (microcents === 0) return '$0'
  if (dollars < 0.0001) return 'less than $0.0001'
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`
}
