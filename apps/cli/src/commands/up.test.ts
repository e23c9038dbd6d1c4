import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { freshDatabase } from '@parley/postgres/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  createHome,
  parley,
  readUntil,
  runRefusedStart,
  startParley,
  waitForEnd,
} from '../testing/parley-process.ts'
import { isAlive } from '../up/run-file.ts'

const ENVIRONMENT = {
  PARLEY_PORT: '0',
  PARLEY_VOICE_PORT: '0',
  PARLEY_DEMO: '0',
}
const PATIENTLY = { timeout: 120_000 }
const TOKEN = 'parley_0123456789abcdef0123456789abcdef'

describe.runIf(existsSync('/dev/full'))('`up --json`', () => {
  let at: Awaited<ReturnType<typeof createHome>>
  let child: ReturnType<typeof startParley>
  let ended: ReturnType<typeof waitForEnd>
  beforeAll(async () => {
    at = await createHome()
    const { home } = at
    await mkdir(join(home, 'logs'))
    await symlink('/dev/full', join(home, 'logs', 'parley.log'))
    await writeFile(join(home, 'owner-token'), TOKEN)
    await chmod(join(home, 'owner-token'), 0o644)
    child = startParley(['up', '--json'], { ...at, environment: ENVIRONMENT })
    ended = waitForEnd(child)
  })
  afterAll(async () => {
    child.kill('SIGKILL')
    await ended
    await at[Symbol.asyncDispose]()
  })

  test('prints one JSON document; a full disk stops only the log', PATIENTLY, async () => {
    const ready = JSON.parse(await readUntil(child.stdout, /\n$/)) as Record<'url' | 'voiceUrl', string>
    const loopback = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(ready).toEqual({ url: loopback, token: TOKEN, voiceUrl: loopback })
    child.stdout.resume()
    for (let n = 0; n < 3; n += 1) {
      const me = await fetch(`${ready.url}/v1/me`, { headers: { authorization: `Bearer ${TOKEN}` } })
      expect(me.status).toBe(200)
    }
    const second = await runRefusedStart(['up', '--json'], { ...at, environment: ENVIRONMENT })
    expect(JSON.parse(second.stdout)).toMatchObject({
      alreadyRunning: true,
      url: ready.url,
      voiceUrl: ready.voiceUrl,
      token: TOKEN,
      pid: child.pid,
    })
    expect(second.stderr).toBe('')
    const third = await runRefusedStart(['up'], { ...at, environment: ENVIRONMENT })
    expect(third.stdout).toContain(`\n  open ${ready.url}/#token=${TOKEN}\n`)
    const another = { ...ENVIRONMENT, PARLEY_OWNER_TOKEN: `${TOKEN}-of-another-server` }
    expect((await runRefusedStart(['up'], { ...at, environment: another })).stdout).not.toContain('#token')
  })

  test('Ctrl-C stops the worker and all other processes', PATIENTLY, async () => {
    const parts = listChildren(child.pid)
    expect(parts.length).toBeGreaterThan(1)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended
    expect(code).toBe(0)
    expect(parts.filter(isAlive)).toEqual([])
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain('✓ postgres')
    expect(stderr).toMatch(/\nstopping …\nstopped\n$/)
    expect(stderr.match(/cannot be written \(ENOSPC/g)).toHaveLength(1)
    expect(stderr).toMatch(/! Other users could read the owner token in .*no longer can/)
    expect((await stat(join(at.home, 'owner-token'))).mode & 0o777).toBe(0o600)
    expect(await readdir(join(at.home, 'workspace'))).toEqual([])
  })
})

const listChildren = (pid = 0): readonly number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number)

test('[X2] `up` refuses to start if a port is in use, and names the variable to set', PATIENTLY, async () => {
  await using at = await createHome()
  // A database that already exists saves starting one.
  const { databaseUrl, drop } = await freshDatabase()
  onTestFinished(() => drop())
  await using taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const environment = { ...ENVIRONMENT, PARLEY_VOICE_PORT: String(port), DATABASE_URL: databaseUrl }
  const { code, stdout, stderr } = await parley(['up'], { ...at, environment })
  expect(code).toBe(2)
  expect(stderr).toContain(`parley: The voice provider did not start: Port ${port} is in use.`)
  expect(stderr).toContain('Set PARLEY_VOICE_PORT to another port, or to 0 for a free one.')
  expect(stdout).not.toMatch(/^ready |^ {2}open /m)
})
