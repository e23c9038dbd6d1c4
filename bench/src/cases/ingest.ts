import { median } from '../medians.ts'
import { askProcess } from './ask-process.ts'
import type { BenchCase } from './bench-case.ts'
import type { IngestJob, Ingested } from './ingest-process.ts'

export const ingest: BenchCase = {
  name: 'ingest',
  what: 'import of 1,000 pages through all phases, by rules, in its own process, to only reading and splitting; `ingest memory`: resident memory after 1,000 pages, to that after 250',
  on: 'postgres',
  async measure({ databaseUrl, medians }) {
    const runs: Ingested[] = []
    const run = async (system: IngestJob['system']) => {
      const job: IngestJob = { databaseUrl, system }
      return (await askProcess('./ingest-process.ts', job, process.env)) as Ingested
    }
    const rates = await medians({
      async ours() {
        const ingested = await run('ours')
        runs.push(ingested)
        return ingested.pagesPerSecond
      },
      floor: async () => (await run('floor')).pagesPerSecond,
    })
    const ours = median(runs.slice(1).map(({ late }) => late))
    const floor = median(runs.slice(1).map(({ early }) => early))
    return [
      { case: 'ingest', unit: 'pages/s', ...rates },
      { case: 'ingest memory', unit: 'MB', ours, floor, target: { atMost: 1.3 } },
    ]
  },
}
