import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runningPostmaster } from '../server/postmaster-pid.ts'
import { isAlive } from '../server/processes.ts'
import { startBundledPostgres } from '../server/start-bundled-postgres.ts'
import { ownerOfRunFolder, ownRunFolder, RUN_FOLDERS } from './run-folder.ts'

/** How the processes of one test run find their common server. */
const HOME_VARIABLE = 'PARLEY_TEST_POSTGRES_HOME'
const URL_VARIABLE = 'PARLEY_TEST_DATABASE_URL'

/** Makes the folder of this run. Its server is started there by the first test that needs it. */
export async function openRunFolder(): Promise<string> {
  const folder = ownRunFolder()
  // The server may run as another user.
  await mkdir(folder, { mode: 0o755, recursive: true })
  process.env[HOME_VARIABLE] = serverHome(folder)
  return folder
}

const serverHome = (folder: string) => join(folder, 'server')

/** What only a power cut would take: a database is then dropped in a blink, not in a second. Many Parleys share it. */
const HASTY = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '1000',
}

let adminUrl: Promise<string> | undefined

/** The URL of a user who may make databases and roles. */
export function testServerUrl(): Promise<string> {
  adminUrl ??= findServer()
  return adminUrl
}

/** Ends the run's server, if any test has started it, and leaves nothing of the run. */
export async function removeRunFolder(folder: string): Promise<void> {
  const home = serverHome(folder)
  if (await runningPostmaster(join(home, 'postgres', 'data'))) {
    const server = await startBundledPostgres({ home })
    await server.stop()
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** What a run left whose guard was killed too. */
export async function removeLeftRunFolders(): Promise<void> {
  for (const name of await readdir(RUN_FOLDERS)) {
    const pid = ownerOfRunFolder(name)
    // What another user left is not ours to remove.
    if (pid && !isAlive(pid)) await removeRunFolder(join(RUN_FOLDERS, name)).catch(() => {})
  }
}

async function findServer(): Promise<string> {
  const given = process.env[URL_VARIABLE]
  if (given) return given
  const home = process.env[HOME_VARIABLE]
  if (!home) {
    throw new Error(
      `There is no test server: set ${URL_VARIABLE}, or run under vitest with global-setup.ts as its globalSetup.`,
    )
  }
  // Whoever of the run's processes comes first starts it, the others adopt it.
  return (await startBundledPostgres({ home, settings: HASTY })).url
}
