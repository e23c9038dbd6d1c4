import { mkdirSync, realpathSync, statfsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isProcessAlive, findRunningPostmaster } from '../server/postmaster.ts'
import { startBundledPostgres } from '../server/start-bundled-postgres.ts'

/** How the processes of one test run find their common folder and server. */
const HOME_VARIABLE = 'PARLEY_TEST_FOLDER'
const URL_VARIABLE = 'PARLEY_TEST_DATABASE_URL'

/** Folders of single tests have a suffix after the process id. */
const FOLDER = /^parley-test-(\d+)(?:-\w+)?$/

/** Creates the folder of this run. The first test that needs a server starts it there. */
export function announceTestServer(): string {
  const home = join(SERVER_FOLDER, `parley-test-${process.pid}`)
  mkdirSync(home, { recursive: true })
  process.env[HOME_VARIABLE] = home
  return home
}

/** A folder that is removed with the run. */
export const createRunFolder = (prefix: string): Promise<string> =>
  mkdtemp(join(process.env[HOME_VARIABLE] ?? SERVER_FOLDER, prefix))

/** Settings without protection against power loss and long use, for many test servers. */
const FAST_SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '128MB',
  autovacuum: 'off',
  io_method: 'sync',
  max_connections: '400',
  scram_iterations: '1',
}

let adminUrl: Promise<string> | undefined

/** The URL of a user who may create databases and roles. */
export function testServerUrl(): Promise<string> {
  adminUrl ??= findServer()
  return adminUrl
}

/** Stops the server, if any test has started it, and removes its files. */
export async function removeTestServer(home: string): Promise<void> {
  if (await findRunningPostmaster(join(home, 'postgres', 'data'))) {
    const server = await startBundledPostgres({ home })
    await server.stop()
  }
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}

/** Removes servers of runs whose guard was killed too. */
export async function removeLeftServers(): Promise<void> {
  for (const name of await readdir(SERVER_FOLDER)) {
    const pid = Number(FOLDER.exec(name)?.[1])
    // We may not remove folders of other users.
    if (pid && !isProcessAlive(pid)) await removeTestServer(join(SERVER_FOLDER, name)).catch(() => {})
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
  // The first process of the run starts it, the others adopt it.
  return (await startBundledPostgres({ home, settings: FAST_SETTINGS })).url
}

const MEMORY = '/dev/shm'
/** More than twice the need of a whole test run. */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * The folder of the test servers: in memory if there is room, else on the disk. A database has a thousand files; cloning
 * one takes 400 ms on some disks and 20 ms here.
 */
export const SERVER_FOLDER = hasRoom(MEMORY) ? MEMORY : realpathSync(tmpdir())

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ROOM_BYTES
  } catch {
    return false
  }
}

/** The URL of a server with pgvector, which the bundled one lacks. Tests that need it are skipped without it. */
export const PGVECTOR_URL = process.env.PARLEY_TEST_PGVECTOR_URL

/** Creates the databases of this test file there from now on. */
export function usePgvectorServer(): void {
  process.env.PARLEY_TEST_DATABASE_URL = PGVECTOR_URL
}
