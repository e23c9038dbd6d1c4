import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { run } from './launcher.ts'
import { isAlive } from './postmaster-pid.ts'
import { codeOf, unavailable } from './unavailable.ts'

/** Fills a folder aside and renames it, so that a data folder that is there is complete. */
export async function initCluster(cluster: Cluster): Promise<'created' | 'present'> {
  await removeLeftovers(cluster)
  const draft = `${cluster.data}.${process.pid}.${randomUUID()}`
  try {
    await fill(draft, cluster)
    await rename(draft, cluster.data)
    await syncFolder(cluster.folder)
    return 'created'
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (isTaken(error)) return 'present'
    throw error
  }
}

export const isInitialised = (cluster: Cluster): boolean => existsSync(cluster.data)

async function fill(draft: string, { binaries, launcher, passwordFile }: Cluster): Promise<void> {
  const { code, output } = await run(launcher, binaries.initdb, [
    `--pgdata=${draft}`,
    '--username=parley',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ])
  if (code === 0) return
  throw unavailable(
    `Postgres could not make its data folder: ${lastLines(output)}. Mend that and start again, or set PARLEY_HOME to another folder, or DATABASE_URL to a Postgres server of your own.`,
  )
}

// A draft's name holds the process that fills it; once that is gone, nobody will finish it.
async function removeLeftovers({ folder, data }: Cluster): Promise<void> {
  const draft = new RegExp(`^${basename(data)}\\.(\\d+)\\.`)
  for (const name of await readdir(folder)) {
    const pid = draft.exec(name)?.[1]
    if (!pid || isAlive(Number(pid))) continue
    // Its initdb may have outlived it and still be writing.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

const isTaken = (error: unknown) => ['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')

export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-5).join('\n')
}
