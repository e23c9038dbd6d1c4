import { setTimeout as pause } from 'node:timers/promises'
import { isPostmaster } from './postmaster-pid.ts'
import { codeOf, unavailable } from './unavailable.ts'

const PATIENCE_MS = 10_000

/** Ends open sessions and stops; if that takes too long, at once, leaving the rest to crash recovery. */
export async function stopPostmaster(pid: number, data: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const deadline = Date.now() + PATIENCE_MS
    if (await isPostmaster(pid, data)) send(signal, pid)
    while (Date.now() < deadline) {
      if (!(await isPostmaster(pid, data))) return
      await pause(10)
    }
  }
  throw unavailable(`The bundled Postgres (process ${pid}) does not stop. End that process by hand.`)
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}
