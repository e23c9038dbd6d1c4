import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { isPostmaster } from './postmaster-pid.ts'
import { listProcesses, signal } from './processes.ts'
import { unavailable } from './unavailable.ts'

const PATIENCE_MS = 10_000

/** Ends open sessions and stops; if that takes too long, at once, leaving the rest to crash recovery. */
export async function stopPostmaster(pid: number, { data }: Cluster): Promise<void> {
  for (const name of ['SIGINT', 'SIGQUIT'] as const) {
    const deadline = Date.now() + PATIENCE_MS
    if (await isPostmaster(pid, data)) signal(pid, name)
    while (Date.now() < deadline) {
      if (!(await isPostmaster(pid, data))) return
      await pause(10)
    }
  }
  throw unavailable(`The bundled Postgres (process ${pid}) does not stop. End that process by hand.`)
}

/** A backend that is busy with a query does not notice that its server was killed, and bars the next one. */
export async function endOrphans({ name, data }: Cluster): Promise<void> {
  for (const { pid, parent, command } of await listProcesses()) {
    const isBackend = command.startsWith(`postgres: ${name}: `)
    if (isBackend && !(await isPostmaster(parent, data))) signal(pid, 'SIGQUIT')
  }
}
