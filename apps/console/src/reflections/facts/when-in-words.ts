import type { Fact } from '@parley/contracts'

/** When a fact was so, as far as is known; empty where nothing is. */
export function whenInWords({ validFrom, validTo }: Pick<Fact, 'validFrom' | 'validTo'>): string {
  return [validFrom && `from ${dayOf(validFrom)}`, validTo && `until ${dayOf(validTo)}`]
    .filter(Boolean)
    .join(' ')
}

/** A year, a month or a day is as exact as facts get. */
const dayOf = (time: string) => time.split(/[T ]/, 1)[0] ?? time
