import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Cluster } from './cluster.ts'
import { launch } from './launcher.ts'
import { unavailable } from './unavailable.ts'

/** A server that we have just spawned. It lives on when we end. */
export interface SpawnedServer {
  readonly pid: number | undefined
  readonly port: number
  hasExited(): boolean
  said(): Promise<string>
}

export async function spawnServer(cluster: Cluster, port: number): Promise<SpawnedServer> {
  const log = await open(cluster.log, 'a', 0o600)
  try {
    const { size: start } = await log.stat()
    const child = launch(cluster.launcher, cluster.binaries.postgres, serverArguments(cluster, port), {
      stdio: ['ignore', log.fd, log.fd],
      // In a process group of its own: a Ctrl-C in the terminal reaches us, and not the server before us.
      detached: true,
    })
    await once(child, 'spawn').catch((cause: unknown) => {
      throw unavailable(`Postgres could not be started: ${String(cause)}`, cause)
    })
    child.unref()
    return {
      pid: child.pid,
      port,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      said: () => text(createReadStream(cluster.log, { start })),
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
  // "log" ranks above "error": the detail of an error quotes rows, and a log must not keep what was deleted.
  log_min_messages: 'log',
}

function serverArguments({ data, name, settings: given }: Cluster, port: number): readonly string[] {
  const settings = Object.entries({ ...SETTINGS, ...given, cluster_name: name })
  return ['-D', data, '-p', String(port), ...settings.flatMap(([key, value]) => ['-c', `${key}=${value}`])]
}
