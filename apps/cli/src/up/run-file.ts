import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { isAlive } from './is-alive.ts'
import { patience } from './patience.ts'

const RunFile = z.object({
  pid: z.int().positive(),
  url: z.string().optional(),
  instanceId: z.string().optional(),
  voiceUrl: z.string().optional(),
  /** Where links lead; absent where nobody has set it. */
  publicUrl: z.string().optional(),
})
export type Run = z.infer<typeof RunFile>

export interface Claim {
  readonly kind: 'claimed'
  announce(ready: Omit<Run, 'pid'>): Promise<void>
  release(): Promise<void>
}

const FILE = 'run.json'

/** Takes the data folder for this process, or says who has it. The lock decides; the file only tells. */
export async function claimHome(home: string): Promise<Claim | { kind: 'taken'; run: Run | undefined }> {
  const path = join(home, FILE)
  const lock = await lockOf(home)
  if (!lock) return { kind: 'taken', run: await readRun(path) }
  const tell = async (run: Run) => {
    await writeFile(`${path}.new`, JSON.stringify(run), { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
  await tell({ pid: process.pid })
  return {
    kind: 'claimed',
    announce: ({ url, instanceId, voiceUrl, publicUrl }) =>
      tell({ pid: process.pid, url, instanceId, voiceUrl, publicUrl }),
    async release() {
      await rm(path, { force: true })
      lock.release()
    },
  }
}

async function lockOf(home: string) {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const { takeFileLock } = await import('@parley/history')
    return takeFileLock(join(home, 'run.lock'))
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new PlatformError(
      'config_invalid',
      {
        message: `The data folder ${home} cannot be written (${why}).`,
        mend: 'Mend its rights, or set PARLEY_HOME to another folder.',
      },
      { cause },
    )
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

/** A process of that number may be somebody else by now: only the right answer counts. */
async function answersAs({ url, instanceId }: Run): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: patience() })
    const health: unknown = await response.json()
    return z.object({ instanceId: z.literal(instanceId ?? '') }).safeParse(health).success
  } catch {
    return false
  }
}
