import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isProcessAlive } from '../server/postmaster.ts'
import { startBundledPostgres } from '../server/start-bundled-postgres.ts'
import { createUsedHome } from '../server/testing/test-cluster.ts'

test('after the run the guard removes the server and its folder', async () => {
  const home = await createUsedHome()
  const server = await startBundledPostgres({ home })
  const guard = spawn(process.execPath, [fileURLToPath(new URL('./guard.ts', import.meta.url)), home], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  await once(guard, 'spawn')
  expect(isProcessAlive(server.pid)).toBe(true)
  guard.stdin.destroy()
  expect(await once(guard, 'exit')).toEqual([0, null])
  expect(isProcessAlive(server.pid)).toBe(false)
  expect(existsSync(home)).toBe(false)
})
