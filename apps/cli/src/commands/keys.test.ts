import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEY, createFolder, createHome, parley } from '../testing/parley-process.ts'

/** No key is given, and there is no keychain in a test: the key is in its file. */
const KEY_FILE = { PARLEY_HISTORY_KEY: '', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/no/such/bus' }

async function keptHome() {
  const at = await createHome()
  const options = { home: at.home, environment: KEY_FILE }
  await parley(['chat', '--message', 'My boat is called Wanda.'], options)
  return { ...at, options, keyFile: join(at.home, 'history.key') }
}

const readSecretOf = async (file: string) => (await readFile(file, 'utf8')).trim()

test('[S16] without a history, `keys` says so and creates nothing', async () => {
  await using at = await createFolder()
  const { code, stdout } = await parley(['keys'], { ...at, environment: KEY_FILE })
  expect(code).toBe(0)
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'not created yet Key created with the first session (parley chat)',
  )
  expect(stdout).toContain(join(at.home, 'history.key'))
  expect(await readdir(at.home)).toEqual([])
  const given = await parley(['keys', '--json'], at)
  expect(JSON.parse(given.stdout)).toMatchObject({ state: 'no history yet', key: { place: 'environment' } })
})

test.skipIf(process.platform !== 'linux')(
  '[S16] `keys` shows where the key is, that it works, and how to back it up',
  async () => {
    await using at = await keptHome()
    const { code, stdout } = await parley(['keys'], at.options)
    expect(code).toBe(0)
    for (const part of [
      at.keyFile,
      'Key works  yes',
      'when the history was created',
      'parley keys back-up FILE',
    ]) {
      expect(stdout).toContain(part)
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(
      80 + at.home.length,
    )
    const json = await parley(['keys', '--json'], at.options)
    expect(JSON.parse(json.stdout)).toMatchObject({
      state: 'opens',
      key: { place: 'key file' },
      keyFile: at.keyFile,
    })
    const secret = await readSecretOf(at.keyFile)
    for (const text of [stdout, json.stdout]) expect(text).not.toContain(secret)
  },
)

test.skipIf(process.platform !== 'linux')(
  '[S16] after a rotation the history works with the new key',
  async () => {
    await using at = await keptHome()
    const old = await readSecretOf(at.keyFile)
    const { code, stdout } = await parley(['keys', 'rotate'], at.options)
    expect(code).toBe(0)
    expect(stdout).toContain(at.keyFile)
    const secret = await readSecretOf(at.keyFile)
    expect(secret).not.toBe(old)
    expect(stdout).not.toContain(secret)
    expect((await parley(['keys'], at.options)).stdout).toContain('when the key was last rotated')
    const withOld = await parley(['sessions', '--json'], { ...at, environment: { PARLEY_HISTORY_KEY: old } })
    expect(withOld.code).toBe(2)
    expect(JSON.parse(withOld.stdout)).toMatchObject({ error: { code: 'history_key_wrong' } })
    const answer = await parley(['resume', '--message', 'What is my boat called?'], at.options)
    expect(answer.stdout).toContain('My boat is called Wanda.')
  },
)

test('[S16] a key from the environment is rotated to the new one from the environment', async () => {
  await using at = await createHome()
  await parley(['chat', '--message', 'Hello'], at)
  const refused = await parley(['keys', 'rotate'], at)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('Set PARLEY_HISTORY_KEY_NEW')
  const newKey = '6'.repeat(64)
  const { code, stdout } = await parley(['keys', 'rotate'], {
    ...at,
    environment: { PARLEY_HISTORY_KEY_NEW: newKey },
  })
  expect(code).toBe(0)
  expect(stdout).toContain('set PARLEY_HISTORY_KEY to the value of PARLEY_HISTORY_KEY_NEW')
  expect(stdout).not.toContain(newKey)
  expect((await parley(['sessions'], { ...at, environment: { PARLEY_HISTORY_KEY: newKey } })).code).toBe(0)
  expect((await parley(['keys'], at)).code).toBe(2)
})

test('[S16] while a prompt is open elsewhere, `rotate` says so and changes nothing', async () => {
  await using at = await createHome()
  await parley(['chat', '--message', 'Hello'], at)
  const { openHistory } = await import('@parley/history')
  const { close } = await openHistory({ home: at.home, key: KEY })
  const environment = { PARLEY_HISTORY_KEY_NEW: '6'.repeat(64) }
  const { code, stdout, stderr } = await parley(['keys', 'rotate', '--json'], { ...at, environment })
  close()
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'history_in_use' } })
  expect(stderr).toContain('Ctrl-D')
  expect((await parley(['sessions'], at)).code).toBe(0)
})

test.skipIf(process.platform !== 'linux')('[S16] a lost key is restored from its backup', async () => {
  await using at = await keptHome()
  const file = join(at.home, 'copy.key')
  const { code, stdout } = await parley(['keys', 'back-up', 'copy.key'], at.options)
  expect(code).toBe(0)
  expect(stdout).toContain(file)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const secret = await readSecretOf(at.keyFile)
  expect(stdout).not.toContain(secret)
  expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^# .*\n${secret}\n$`))

  const again = await parley(['keys', 'back-up', file], at.options)
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('--force')
  expect((await parley(['keys', 'back-up', '--force', file], at.options)).code).toBe(0)

  await rm(at.keyFile)
  expect(await parley(['keys'], at.options)).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('Key works  no.'),
  })
  const restored = await parley(['keys', 'restore', file], at.options)
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(at.keyFile) })
  expect((await parley(['sessions'], at.options)).stdout).toContain('Wanda')
})

test('[S16] the key is printed only on request', async () => {
  await using at = await createHome()
  await parley(['chat', '--message', 'Hello'], at)
  const { stdout } = await parley(['keys', 'back-up', '-'], at)
  expect(stdout).toMatch(new RegExp(`^# .*\n${KEY}\n$`))
  expect(JSON.parse((await parley(['keys', 'back-up', '-', '--json'], at)).stdout)).toMatchObject({
    key: KEY,
  })
})

test('[S16] a backup of another key, or an invalid one, changes nothing', async () => {
  await using at = await createHome()
  await parley(['chat', '--message', 'Hello'], at)
  const file = join(at.home, 'copy.key')
  await writeFile(file, '6'.repeat(64))
  const before = await readdir(at.home)
  expect(await parley(['keys', 'restore', file], at)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Nothing was changed'),
  })
  const missing = await parley(['keys', 'restore', join(at.home, 'none')], at)
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') })
  expect(await readdir(at.home)).toEqual(before)
})
