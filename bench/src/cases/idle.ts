import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchCase } from './bench-case.ts'
import type { IdleJob } from './idle-process.ts'

export const idle: BenchCase = {
  name: 'idle',
  what: 'memory (resident set) of a process with 1,000 open sessions, each with one turn done and somebody who listens',
  on: 'each store',
  async measure({ place, folder, medians }) {
    // As `parley` has it: without it, TypeScript's parser would be part of both, and hide what they differ in.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compile-cache') }
    const megabytes = await medians({
      ours: () => megabytesOf({ place, system: 'ours' }, env),
      floor: () => megabytesOf({ place, system: 'floor' }, env),
    })
    return [{ case: 'idle', unit: 'MB', ...megabytes, target: { atMost: 1.3 } }]
  },
}

const PROGRAM = fileURLToPath(new URL('./idle-process.ts', import.meta.url))

async function megabytesOf(job: IdleJob, env: NodeJS.ProcessEnv): Promise<number> {
  const child = fork(PROGRAM, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.send(job)
  const ended = once(child, 'exit')
  const answer = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
  if (child.connected) child.disconnect()
  await ended
  if (answer === undefined) {
    throw new Error(`The process of the idle case (${job.system}) ended without an answer.`)
  }
  return Number(answer[0]) / 1e6
}
