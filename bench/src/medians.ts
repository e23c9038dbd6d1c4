import { collectGarbage } from './collect-garbage.ts'

/** One round of one system: how long it took, how much it did or held, in the unit of its row. */
export type Measure = () => Promise<number>

/**
 * Every system once a round, in one order and then in the other, after a round that is not counted; of each the median.
 */
export async function medians<Name extends string>(
  systems: Readonly<Record<Name, Measure>>,
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

/** In milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Of one round's turns as well: a disk that others use makes some wait for long. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const pair = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return pair.reduce((sum, value) => sum + value, 0) / pair.length
}
