import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './cases/bench-case.ts'
import { medians } from './medians.ts'
import type { Options } from './options.ts'
import type { Result } from './report.ts'
import type { Row } from './row.ts'
import { type OpenPlace, openPlace } from './stores/open-place.ts'

interface RunHost {
  readonly tell: (text: string) => void
  /** Breaks the run off before its next measure. */
  readonly signal: AbortSignal
}

/** Measures the cases in a folder of their own, and leaves nothing behind, however that ends. */
export async function runCases(options: Options, host: RunHost): Promise<Result> {
  const load = loadavg()
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const places: OpenPlace[] = []
  try {
    if (options.cases.some(({ on }) => on === 'each store')) {
      for (const name of options.stores) places.push(await openPlace(name, folder))
    }
    return { load, rows: await measureAll(options, places, { ...host, folder }) }
  } finally {
    await Promise.all(places.map(({ close }) => close()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function measureAll(
  { cases, rounds }: Options,
  places: readonly OpenPlace[],
  { tell, signal, folder }: RunHost & { readonly folder: string },
): Promise<readonly Row[]> {
  const bench: Bench = { folder, note: tell, medians: (systems) => medians(systems, { rounds, signal }) }
  const rows: Row[] = []
  for (const one of cases) {
    if (one.on === 'no store') {
      tell(`Measuring ${one.name}`)
      rows.push(...(await one.measure(bench)))
      continue
    }
    for (const place of places) {
      tell(`Measuring ${one.name} on ${place.name}`)
      const measured = await one.measure({ ...bench, ...place })
      rows.push(...measured.map((row) => ({ ...row, store: place.name })))
    }
  }
  return rows
}
