import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isAlive } from '../server/processes.ts'
import { startBundledPostgres } from '../server/start-bundled-postgres.ts'
import { usedHome } from '../server/testing/test-cluster.ts'

test('once the run has ended, the guard leaves neither a server nor its folder', async () => {
  const made = await usedHome()
  const folder = dirname(made)
  const home = join(folder, 'server')
  await rename(made, home)
  const server = await startBundledPostgres({ home })
  const guard = spawn(process.execPath, [fileURLToPath(new URL('./guard.ts', import.meta.url)), folder], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  await once(guard, 'spawn')
  expect(isAlive(server.pid)).toBe(true)
  guard.stdin.destroy()
  expect(await once(guard, 'exit')).toEqual([0, null])
  expect(isAlive(server.pid)).toBe(false)
  expect(existsSync(folder)).toBe(false)
})
