import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { ensureDatabase } from './ensure-database.ts'
import { type Postmaster, readPostmaster, runningPostmaster, setAsideStalePidFile } from './postmaster-pid.ts'
import { renewPassword } from './renew-password.ts'
import { type SpawnedServer, spawnServer } from './spawn-server.ts'
import { endOrphans } from './stop-postmaster.ts'
import { complaint, unavailable } from './unavailable.ts'

interface LiveServer extends Postmaster {
  readonly outcome: 'started' | 'adopted'
}

const LIMIT_MS = 60_000
const POLL_MS = 10
const RETRY_MS = 100

/**
 * Looks, and does what is missing, until a server answers. There is no lock of ours that could be left behind:
 * Postgres lets only one server onto a data folder, so whoever comes second sees the first and adopts it.
 */
export async function bringUp(cluster: Cluster, onStep: (what: string) => void): Promise<LiveServer> {
  const deadline = Date.now() + LIMIT_MS
  let spawned: SpawnedServer | undefined
  let refusal = ''
  while (Date.now() < deadline) {
    const running = await runningPostmaster(cluster.data)
    if (running?.status === 'ready') {
      const answer = await ensureDatabase(running.port, cluster.password)
      if (answer === 'there') {
        return { ...running, outcome: running.pid === spawned?.pid ? 'started' : 'adopted' }
      }
      if (answer === 'password-refused') {
        onStep('Giving Postgres the password of its password file')
        await renewPassword(running, cluster)
        spawned = undefined
      }
    } else if (!running && (!spawned || spawned.hasExited())) {
      if (spawned) refusal = await mendOrThrow(spawned, cluster)
      onStep('Starting Postgres')
      spawned = await spawnServer(cluster, await choosePort(cluster, spawned, refusal))
    }
    await pause(POLL_MS)
  }
  throw unavailable(
    `Postgres is not ready after ${LIMIT_MS / 1000} s. If it is still recovering, start again to wait on. Its log is ${cluster.log}:\n${refusal}`,
  )
}

// A server that was killed comes back on its old port if it can: pools that outlived it find it again.
async function choosePort(cluster: Cluster, spawned: SpawnedServer | undefined, refusal: string) {
  const last = spawned?.port ?? (await readPostmaster(cluster.data))?.port
  return last && !PORT_TAKEN.test(refusal) ? last : freePort()
}

const PORT_TAKEN = /could not bind .*: Address already in use/

const REMEDIES: readonly { sign: RegExp; remedy: (cluster: Cluster) => Promise<void> }[] = [
  { sign: PORT_TAKEN, remedy: async () => {} },
  { sign: /lock file "postmaster.pid" (already exists|is empty)/, remedy: setAsideStalePidFile },
  { sign: /pre-existing shared memory block/, remedy: endOrphans },
]

async function mendOrThrow(spawned: SpawnedServer, cluster: Cluster): Promise<string> {
  const said = await spawned.said()
  const known = REMEDIES.find(({ sign }) => sign.test(said))
  if (!known) {
    throw unavailable(
      `Postgres stopped while starting. Mend what its log ${cluster.log} says, or set DATABASE_URL to a Postgres server of your own:\n${complaint(said)}`,
    )
  }
  // Often it passes by itself: another process has just started the server, or a killed one is not quite gone.
  await pause(RETRY_MS)
  await known.remedy(cluster)
  return complaint(said)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (!address || typeof address === 'string')
    throw unavailable('This machine gives us no port on 127.0.0.1.')
  return address.port
}
