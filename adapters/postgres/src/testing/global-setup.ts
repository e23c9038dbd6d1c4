/** The `globalSetup` of vitest: one Postgres server for all test files of a run. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { announceTestServer, removeLeftServers } from './test-server.ts'

let guard: ChildProcess

export async function setup(): Promise<void> {
  await removeLeftServers()
  const home = announceTestServer()
  // Its input ends with our process; vitest runs no teardown when it is interrupted.
  guard = spawn(process.execPath, [fileURLToPath(new URL('./guard.ts', import.meta.url)), home], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
}

export async function teardown(): Promise<void> {
  guard.stdin?.end()
  await once(guard, 'exit')
}
