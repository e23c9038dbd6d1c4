import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const RunFile = z.object({
  pid: z.int().positive(),
  startedAt: z.number(),
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

/** A start that takes longer than this has failed without clearing up. */
const LONGEST_START_MS = 120_000

/** Takes the data folder for this process, or says which live one has it. */
export async function claimHome(home: string): Promise<Claim | { kind: 'taken'; run: Run }> {
  const path = join(home, FILE)
  const mine: Run = { pid: process.pid, startedAt: Date.now() }
  await mkdir(home, { recursive: true, mode: 0o700 })
  for (;;) {
    if (await created(path, mine)) break
    const run = await liveRun(home)
    if (run) return { kind: 'taken', run }
    await rm(path, { force: true })
  }
  return {
    kind: 'claimed',
    announce: (ready) => writeFile(path, JSON.stringify({ ...mine, ...ready }), { mode: 0o600 }),
    release: () => rm(path, { force: true }),
  }
}

/** The Parley that runs on this data folder now, if any. */
export async function liveRun(home: string): Promise<Run | undefined> {
  const run = await readRun(join(home, FILE))
  if (!run || !isAlive(run.pid)) return undefined
  if (run.url === undefined) return Date.now() - run.startedAt < LONGEST_START_MS ? run : undefined
  return (await answersAs(run)) ? run : undefined
}

async function created(path: string, run: Run): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(run), { flag: 'wx', mode: 0o600 })
    return true
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'EEXIST') return false
    throw failure
  }
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
