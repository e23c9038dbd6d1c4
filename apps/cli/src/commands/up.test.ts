import { existsSync } from 'node:fs'
import { once } from 'node:events'
import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newHome, parley, readUntil, startParley, whenEnded } from '../testing/parley-process.ts'

const ENVIRONMENT = {
  PARLEY_PORT: '0',
  PARLEY_VOICE_PORT: '0',
  PARLEY_DEMO: '0',
}
const TOKEN = 'parley_0123456789abcdef0123456789abcdef'

test.runIf(existsSync('/dev/full'))(
  '`up --json` says one thing to a program; a full disk stops no more than the log',
  { timeout: 120_000 },
  async () => {
    await using at = await newHome()
    const { home } = at
    await mkdir(join(home, 'logs'))
    await symlink('/dev/full', join(home, 'logs', 'parley.log'))
    await writeFile(join(home, 'owner-token'), TOKEN)
    await chmod(join(home, 'owner-token'), 0o644)

    const child = startParley(['up', '--json'], { ...at, environment: ENVIRONMENT })
    const ended = whenEnded(child)
    try {
      const ready = JSON.parse(await readUntil(child.stdout, /\n$/)) as Record<'url' | 'voiceUrl', string>
      const loopback = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(ready).toEqual({ url: loopback, token: TOKEN, voiceUrl: loopback })
      child.stdout.resume()
      for (let n = 0; n < 3; n += 1) {
        const me = await fetch(`${ready.url}/v1/me`, { headers: { authorization: `Bearer ${TOKEN}` } })
        expect(me.status).toBe(200)
      }
      const second = await parley(['up', '--json'], { ...at, environment: ENVIRONMENT })
      expect(JSON.parse(second.stdout)).toMatchObject({
        alreadyRunning: true,
        url: ready.url,
        voiceUrl: ready.voiceUrl,
        token: TOKEN,
        pid: child.pid,
      })
      expect(second.stderr).toBe('')
      const third = await parley(['up'], { ...at, environment: ENVIRONMENT })
      expect(third.stdout).toContain(`\n  open ${ready.url}/#token=${TOKEN}\n`)
      const another = { ...ENVIRONMENT, PARLEY_OWNER_TOKEN: `${TOKEN}-of-another-server` }
      expect((await parley(['up'], { ...at, environment: another })).stdout).not.toContain('#token')
    } finally {
      child.kill('SIGINT')
    }
    const { code, stdout, stderr } = await ended
    expect(code).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain('✓ postgres')
    expect(stderr).toContain('stopped')
    expect(stderr.match(/cannot be written \(ENOSPC/g)).toHaveLength(1)
    expect(stderr).toMatch(/! Other users could read the owner token in .*no longer can/)
    expect((await stat(join(home, 'owner-token'))).mode & 0o777).toBe(0o600)
    expect(await readdir(join(home, 'workspace'))).toEqual([])
  },
)

test('[X2] a port that is taken stops the start, with what to set', { timeout: 120_000 }, async () => {
  await using at = await newHome()
  await using taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const environment = { ...ENVIRONMENT, PARLEY_VOICE_PORT: String(port) }
  const { code, stdout, stderr } = await parley(['up'], { ...at, environment })
  expect(code).toBe(2)
  expect(stderr).toContain(`parley: The voice provider did not start: Port ${port} is taken`)
  expect(stderr).toContain('Set PARLEY_VOICE_PORT')
  expect(stdout).not.toContain('ready')
})
