import { join } from 'node:path'
import { askProcess } from './ask-process.ts'
import type { BenchCase } from './bench-case.ts'
import type { IdleJob } from './idle-process.ts'

export const idle: BenchCase = {
  name: 'idle',
  what: 'memory (resident set) of a process with 1,000 open sessions, each with one turn and one reader',
  on: 'each store',
  async measure({ place, folder, medians }) {
    // As in `parley`. Without it both systems load TypeScript's parser, which hides the difference.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compile-cache') }
    const megabytes = await medians({
      ours: () => measureMegabytes({ place, system: 'ours' }, env),
      floor: () => measureMegabytes({ place, system: 'floor' }, env),
    })
    return [{ case: 'idle', unit: 'MB', ...megabytes, target: { atMost: 1.3 } }]
  },
}

async function measureMegabytes(job: IdleJob, env: NodeJS.ProcessEnv): Promise<number> {
  return Number(await askProcess('./idle-process.ts', job, env)) / 1e6
}
