import { collectGarbage } from './collect-garbage.ts'

/** Measures one round of one system, in the unit of its row. */
export type MeasureRound = () => Promise<number>

/**
 * Measures every system once in each round, in alternating order. Returns the median of each, without the first round.
 */
export async function measureMedians<Name extends string>(
  systems: Readonly<Record<Name, MeasureRound>>,
  { rounds, signal, prepare = collectGarbage }: { rounds: number; signal: AbortSignal; prepare?: () => void },
): Promise<Record<Name, number>> {
  const names = Object.keys(systems) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      signal.throwIfAborted()
      prepare()
      const result = await systems[name]()
      if (round > 0) results[name].push(result)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(results[name])])) as Record<Name, number>
}

/** Returns the duration in milliseconds. */
export async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const pair = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return pair.reduce((sum, value) => sum + value, 0) / pair.length
}
