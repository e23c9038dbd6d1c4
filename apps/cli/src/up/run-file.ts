import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { takeFileLock } from '@parley/history'
import { z } from 'zod'

const RunFile = z.object({
  pid: z.int().positive(),
  url: z.string().optional(),
  instanceId: z.string().optional(),
})
export type Run = z.infer<typeof RunFile>

export interface Claim {
  readonly kind: 'claimed'
  announce(ready: { url: string; instanceId: string }): Promise<void>
  release(): Promise<void>
}

const FILE = 'run.json'

/** Takes the data folder for this process, or says who has it. The lock decides; the file only tells. */
export async function claimHome(home: string): Promise<Claim | { kind: 'taken'; run: Run | undefined }> {
  const path = join(home, FILE)
  await mkdir(home, { recursive: true, mode: 0o700 })
  const lock = takeFileLock(join(home, 'run.lock'))
  if (!lock) return { kind: 'taken', run: await readRun(path) }
  const tell = async (run: Run) => {
    await writeFile(`${path}.new`, JSON.stringify(run), { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
  await tell({ pid: process.pid })
  return {
    kind: 'claimed',
    announce: ({ url, instanceId }) => tell({ pid: process.pid, url, instanceId }),
    async release() {
      await rm(path, { force: true })
      lock.release()
    },
  }
}

/** The Parley that runs on this data folder now, if any. */
export async function liveRun(home: string): Promise<Run | undefined> {
  const run = await readRun(join(home, FILE))
  if (!run || !isAlive(run.pid)) return undefined
  return run.url === undefined || (await answersAs(run)) ? run : undefined
}

async function readRun(path: string): Promise<Run | undefined> {
  try {
    return RunFile.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (failure) {
    return failure instanceof Error && 'code' in failure && failure.code === 'EPERM'
  }
}

/** A process of that number may be somebody else by now: only the right answer counts. */
async function answersAs({ url, instanceId }: Run): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(3_000) })
    const health: unknown = await response.json()
    return z.object({ instanceId: z.literal(instanceId ?? '') }).safeParse(health).success
  } catch {
    return false
  }
}
