import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench, BenchCase } from './cases/bench-case.ts'
import { measureMedians } from './medians.ts'
import type { BenchOptions } from './options.ts'
import type { BenchResult } from './report.ts'
import type { BenchRow } from './row.ts'
import { type OpenPlace, openPlace } from './stores/open-place.ts'

interface RunHost {
  readonly tell: (text: string) => void
  /** Aborts the run before its next measurement. */
  readonly signal: AbortSignal
}

/** Measures the cases in a temporary folder, which is always removed. */
export async function runCases(options: BenchOptions, host: RunHost): Promise<BenchResult> {
  const load = loadavg()
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const places: OpenPlace[] = []
  try {
    if (options.cases.some(({ on }) => on !== 'no store')) {
      for (const name of options.stores) places.push(await openPlace(name, folder))
    }
    return { load, rows: await measureAll(options, places, { ...host, folder }) }
  } finally {
    await Promise.all(places.map(({ close }) => close()))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function measureAll(
  { cases, rounds, stores }: BenchOptions,
  places: readonly OpenPlace[],
  { tell, signal, folder }: RunHost & { readonly folder: string },
): Promise<readonly BenchRow[]> {
  const bench: Bench = {
    folder,
    note: tell,
    medians: (systems) => measureMedians(systems, { rounds, signal }),
  }
  const rows: BenchRow[] = []
  for (const benchCase of cases) {
    if (benchCase.on === 'no store') {
      tell(`Measuring ${benchCase.name}`)
      rows.push(...(await benchCase.measure(bench)))
      continue
    }
    if (benchCase.on === 'postgres' && !stores.includes('postgres')) {
      tell(`Skipping ${benchCase.name}: it needs the store postgres`)
    }
    for (const open of places) {
      const measure = createMeasure(benchCase, open, bench)
      if (!measure) continue
      tell(`Measuring ${benchCase.name} on ${open.name}`)
      rows.push(...(await measure()).map((row) => ({ ...row, store: open.name })))
    }
  }
  return rows
}

function createMeasure(
  benchCase: StoreCase,
  open: OpenPlace,
  bench: Bench,
): (() => Promise<readonly BenchRow[]>) | undefined {
  if (benchCase.on === 'each store') return () => benchCase.measure({ ...bench, ...open })
  const { place } = open
  return place.kind === 'postgres' ? () => benchCase.measure({ ...bench, databaseUrl: place.url }) : undefined
}

type StoreCase = Exclude<BenchCase, { readonly on: 'no store' }>
