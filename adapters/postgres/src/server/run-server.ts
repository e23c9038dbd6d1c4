import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import type { Cluster } from './cluster.ts'
import { launch } from './launcher.ts'
import { giveTo } from './cluster.ts'

/** A server that we have just spawned; it lives on when we end. */
export interface Attempt {
  readonly pid: number | undefined
  hasExited(): boolean
  said(): Promise<string>
}

export async function spawnServer(cluster: Cluster, port: number): Promise<Attempt> {
  const log = await open(cluster.log, 'a', 0o600)
  try {
    await giveTo(cluster.user, cluster.log)
    const { size } = await log.stat()
    const child = launch(cluster.launcher, cluster.binaries.postgres, serverArguments(cluster.data, port), {
      stdio: ['ignore', log.fd, log.fd],
      // In a process group of its own, a Ctrl-C in the terminal reaches us and not the server.
      detached: true,
    })
    await once(child, 'spawn')
    child.unref()
    return {
      pid: child.pid,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      said: async () => (await readFile(cluster.log)).subarray(size).toString(),
    }
  } finally {
    await log.close()
  }
}
