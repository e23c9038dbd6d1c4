import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench, BenchCase } from './cases/bench-case.ts'
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
  { cases, rounds, stores }: Options,
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
    if (one.on === 'postgres' && !stores.includes('postgres')) {
      tell(`${one.name} is measured on postgres alone, and left out`)
    }
    for (const open of places) {
      const measure = measureOn(one, open, bench)
      if (!measure) continue
      tell(`Measuring ${one.name} on ${open.name}`)
      rows.push(...(await measure()).map((row) => ({ ...row, store: open.name })))
    }
  }
  return rows
}

function measureOn(
  one: StoreCase,
  open: OpenPlace,
  bench: Bench,
): (() => Promise<readonly Row[]>) | undefined {
  if (one.on === 'each store') return () => one.measure({ ...bench, ...open })
  const { place } = open
  return place.kind === 'postgres' ? () => one.measure({ ...bench, databaseUrl: place.url }) : undefined
}

type StoreCase = Exclude<BenchCase, { readonly on: 'no store' }>
