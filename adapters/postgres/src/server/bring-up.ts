import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { DatabaseRole } from '../login/database-url.ts'
import { GuardedClient } from '../login/guarded-client.ts'
import { type Cluster, toBundledUrl, launchProgram, runProgram } from './cluster.ts'
import {
  type Postmaster,
  endOrphans,
  readPostmasterFile,
  findRunningPostmaster,
  setAsideStalePidFile,
  stopPostmaster,
} from './postmaster.ts'
import {
  UNIQUE_VIOLATION,
  getErrorCode,
  extractComplaints,
  createUnavailableError,
} from '../login/database-error.ts'

interface LiveServer extends Postmaster {
  readonly outcome: 'started' | 'adopted'
}

const TIMEOUT_MS = 60_000
const POLL_MS = 10
const RETRY_MS = 100

/**
 * Checks and starts until a server answers. It needs no lock that could be left behind: Postgres lets only one server use
 * a data folder, so the second process sees the first server and adopts it.
 */
export async function bringUp(cluster: Cluster, onStep: (step: string) => void): Promise<LiveServer> {
  const deadline = Date.now() + TIMEOUT_MS
  let spawned: SpawnedServer | undefined
  let refusal = ''
  while (Date.now() < deadline) {
    const running = await findRunningPostmaster(cluster.data)
    if (running?.status === 'ready') {
      const answer = await ensureDatabase(running.port, cluster.password)
      if (answer === 'there') {
        return { ...running, outcome: running.pid === spawned?.pid ? 'started' : 'adopted' }
      }
      if (answer === 'password-refused') {
        onStep('Setting the Postgres password from its password file')
        await renewPassword(running, cluster)
        spawned = undefined
      }
    } else if (!running && (!spawned || spawned.hasExited())) {
      if (spawned) refusal = await fixStartOrThrow(spawned, cluster)
      onStep('Starting Postgres')
      spawned = await spawnServer(cluster, await choosePort(cluster, spawned, refusal))
    }
    await pause(POLL_MS)
  }
  throw createUnavailableError(
    `Postgres is not ready after ${TIMEOUT_MS / 1000} s. If it is still recovering, start again to wait longer. Its log is ${cluster.log}:\n${refusal}`,
  )
}

// A killed server restarts on its old port if possible, so that existing pools find it again.
async function choosePort(cluster: Cluster, spawned: SpawnedServer | undefined, refusal: string) {
  const last = spawned?.port ?? (await readPostmasterFile(cluster.data))?.port
  return last && !PORT_TAKEN.test(refusal) ? last : findFreePort()
}

const PORT_TAKEN = /could not bind .*: Address already in use/

const START_FIXES: readonly { error: RegExp; fix: (cluster: Cluster) => Promise<void> }[] = [
  { error: PORT_TAKEN, fix: async () => {} },
  { error: /lock file "postmaster.pid" (already exists|is empty)/, fix: setAsideStalePidFile },
  { error: /pre-existing shared memory block/, fix: endOrphans },
]

async function fixStartOrThrow(spawned: SpawnedServer, cluster: Cluster): Promise<string> {
  const output = await spawned.readOutput()
  const known = START_FIXES.find(({ error }) => error.test(output))
  if (!known) {
    throw createUnavailableError(
      `Postgres stopped while starting. Fix the problem in its log ${cluster.log}, or set DATABASE_URL to your own Postgres server:\n${extractComplaints(output)}`,
    )
  }
  // Often the problem passes: another process has just started the server, or a killed one is still ending.
  await pause(RETRY_MS)
  await known.fix(cluster)
  return extractComplaints(output)
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (!address || typeof address === 'string')
    throw createUnavailableError('This machine gives us no port on 127.0.0.1.')
  return address.port
}

/** The password file wins: if it was lost and created again, the server takes the new password. */
async function renewPassword(running: Postmaster, cluster: Cluster): Promise<void> {
  await stopPostmaster(running.pid, cluster)
  // In single-user mode Postgres needs no password and accepts no connections.
  const { code, output } = await runProgram(
    cluster.launcher,
    cluster.binaries.postgres,
    ['--single', '-D', cluster.data, 'postgres'],
    `alter role parley password '${cluster.password.replaceAll("'", "''")}'\n`,
  )
  if (code === 0) return
  throw createUnavailableError(
    `Postgres did not take the password in ${cluster.passwordFile}:\n${extractComplaints(output)}`,
  )
}

/** A server that we just started. It outlives our process. */
interface SpawnedServer {
  readonly pid: number | undefined
  readonly port: number
  hasExited(): boolean
  readOutput(): Promise<string>
}

async function spawnServer(cluster: Cluster, port: number): Promise<SpawnedServer> {
  const log = await open(cluster.log, 'a', 0o600)
  try {
    const { size: start } = await log.stat()
    const child = launchProgram(
      cluster.launcher,
      cluster.binaries.postgres,
      buildServerArguments(cluster, port),
      {
        stdio: ['ignore', log.fd, log.fd],
        // Its own process group: a Ctrl-C in the terminal reaches only us.
        detached: true,
      },
    )
    await once(child, 'spawn').catch((cause: unknown) => {
      throw createUnavailableError(`Postgres could not be started: ${String(cause)}`, cause)
    })
    child.unref()
    return {
      pid: child.pid,
      port,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      readOutput: () => text(createReadStream(cluster.log, { start })),
    }
  } finally {
    await log.close()
  }
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  // "log" ranks above "error": error details quote rows, and the log must not keep deleted data.
  log_min_messages: 'log',
}

function buildServerArguments({ data, name, settings: overrides }: Cluster, port: number): readonly string[] {
  const settings = Object.entries({ ...SETTINGS, ...overrides, cluster_name: name })
  return ['-D', data, '-p', String(port), ...settings.flatMap(([key, value]) => ['-c', `${key}=${value}`])]
}

const WRONG_PASSWORD = '28P01'
const EXISTS_CODES = ['42P04', UNIQUE_VIOLATION]
const SHUTDOWN_CODES = ['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET']

/** Creates the database `parley` if missing, from the database `postgres`, which others cannot use. */
async function ensureDatabase(
  port: number,
  password: string,
): Promise<'there' | 'going-down' | 'password-refused'> {
  const client = new GuardedClient({
    connectionString: toBundledUrl({ port, password }, 'postgres'),
    connectionTimeoutMillis: 10_000,
  })
  try {
    await client.connect()
    await restrictRoles(client)
    const { rowCount } = await client.query(`select from pg_database where datname = 'parley'`)
    if (rowCount === 0) await client.query('create database parley')
    return 'there'
  } catch (error) {
    const code = getErrorCode(error) ?? ''
    if (EXISTS_CODES.includes(code)) return 'there'
    if (code === WRONG_PASSWORD) return 'password-refused'
    if (SHUTDOWN_CODES.includes(code) || isConnectionLost(error)) return 'going-down'
    throw createUnavailableError(
      `The bundled Postgres runs, but its database cannot be opened: ${String(error)}`,
      error,
    )
  } finally {
    await client.end().catch(() => {})
  }
}

// pg gives this one no code.
const isConnectionLost = (error: unknown) =>
  error instanceof Error && error.message.startsWith('Connection terminated unexpectedly')

/** Each role's share of the server's connections, so that none takes them all. */
const SHARES: Readonly<Record<DatabaseRole, number>> = {
  parley_serving: 0.53,
  parley_learning: 0.125,
  parley_public: 0.1,
  parley_member: 0.07,
  parley_provider: 0.15,
}

/**
 * Limits our roles to our databases, and to their share of connections. This holds from the first start, before the
 * migrations set the passwords.
 */
async function restrictRoles(owner: Client): Promise<void> {
  // Processes that start together change the same rows.
  await owner.query(`select pg_advisory_lock(hashtext('parley: rights of the server'))`)
  await owner.query(CLOSE_DATABASES)
  const { rows } = await owner.query<{ most: number }>(READ_CONNECTION_LIMIT)
  const limit = rows[0]?.most ?? 0
  for (const [role, share] of Object.entries(SHARES)) {
    await owner.query(limitConnections(role, Math.floor(limit * share)))
  }
}

const READ_CONNECTION_LIMIT = `select current_setting('max_connections')::int as most`

const CLOSE_DATABASES = `do $$
declare
  open_to_all name;
begin
  for open_to_all in
    select datname from pg_database
    where datname in ('postgres', 'template1') and has_database_privilege('public', oid, 'connect')
  loop
    execute format('revoke all on database %I from public', open_to_all);
  end loop;
end $$`

const limitConnections = (role: string, share: number) => `do $$
begin
  if not exists (select from pg_roles where rolname = '${role}') then
    create role ${role} login connection limit ${share};
  elsif exists (select from pg_roles where rolname = '${role}' and rolconnlimit <> ${share}) then
    alter role ${role} connection limit ${share};
  end if;
end $$`
