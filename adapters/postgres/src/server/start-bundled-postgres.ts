import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { bringUp } from './bring-up.ts'
import { type Cluster, toBundledUrl, openCluster, runProgram } from './cluster.ts'
import { isProcessAlive, stopPostmaster } from './postmaster.ts'
import {
  getErrorCode,
  extractComplaints,
  createUnavailableError,
  toHomeError,
} from '../login/database-error.ts'

/** The bundled server. It outlives our process until someone stops it. */
export interface BundledPostgres {
  readonly url: string
  readonly outcome: 'created' | 'started' | 'adopted'
  readonly pid: number
  readonly stop: () => Promise<void>
}

export interface BundledPostgresOptions {
  readonly home: string
  /** Override its default settings, if this call starts it. */
  readonly settings?: Readonly<Record<string, string>>
  readonly onStep?: (step: string) => void
  /** Receives notices for the user. */
  readonly onNotice?: (notice: string) => void
}

export async function startBundledPostgres(options: BundledPostgresOptions): Promise<BundledPostgres> {
  const { home, settings = {}, onStep = () => {}, onNotice = () => {} } = options
  try {
    const cluster = { ...(await openCluster(home, onNotice)), settings }
    const data = await initCluster(cluster, onStep)
    const { pid, port, outcome } = await bringUp(cluster, onStep)
    return {
      url: toBundledUrl({ port, password: cluster.password }),
      outcome: data === 'created' && outcome === 'started' ? 'created' : outcome,
      pid,
      stop: () => stopPostmaster(pid, cluster),
    }
  } catch (error) {
    throw toHomeError(home, error)
  }
}

/** Fills a draft folder and then renames it, so that an existing data folder is complete. */
async function initCluster(cluster: Cluster, onStep: (step: string) => void): Promise<'created' | 'present'> {
  if (existsSync(join(cluster.data, 'PG_VERSION'))) return 'present'
  onStep('Creating the database')
  await removeOldDrafts(cluster)
  const draft = `${cluster.data}.${process.pid}.${randomUUID()}`
  try {
    await runInitdb(draft, cluster)
    await rename(join(draft, 'data'), cluster.data)
    await syncFolder(cluster.folder)
    return 'created'
  } catch (error) {
    if (isFolderTaken(error)) return 'present'
    throw error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function runInitdb(draft: string, { binaries, launcher, password, user }: Cluster): Promise<void> {
  const passwordFile = join(draft, 'password')
  await mkdir(draft, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user) await Promise.all([passwordFile, draft].map((path) => chown(path, user.uid, user.gid)))

  const { code, output } = await runProgram(launcher, binaries.initdb, [
    `--pgdata=${join(draft, 'data')}`,
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
  throw createUnavailableError(
    `Postgres could not create its data folder. Fix the problem below, or set PARLEY_HOME to another folder, or DATABASE_URL to your own Postgres server:\n${extractComplaints(output)}`,
  )
}

// A draft's name contains the id of its process; once that is gone, nobody will finish it.
async function removeOldDrafts({ folder, data }: Cluster): Promise<void> {
  const draft = new RegExp(`^${basename(data)}\\.(\\d+)\\.`)
  for (const name of await readdir(folder)) {
    const pid = draft.exec(name)?.[1]
    if (!pid || isProcessAlive(Number(pid))) continue
    // Its initdb may still be running and writing.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path)
  await folder.sync()
}

const isFolderTaken = (error: unknown) => ['ENOTEMPTY', 'EEXIST'].includes(getErrorCode(error) ?? '')
