import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeKey, openHistory } from '../index.ts'
import { createTestHome, KEY } from '../testing/fresh-home.ts'
import { createMemoryKeychain, noKeychain } from '../testing/keychains.ts'

test.each([
  ['key file', { keychain: noKeychain }, 'raw'],
  ['keychain', { keychain: createMemoryKeychain() }, 'raw'],
  ['environment', { key: KEY, keychain: noKeychain }, 'raw'],
  ['environment', { key: 'correct horse', keychain: noKeychain }, 'passphrase'],
])('[S16] a key in the %s is described without its value', async (place, given, kind) => {
  const options = { home: await createTestHome(), ...given }
  const began = new Date().toISOString()
  ;(await openHistory(options)).close()
  const report = await describeKey(options)
  expect(report).toMatchObject({ state: 'opens', key: { place, kind }, since: { event: 'made' } })
  expect(report.since?.at.localeCompare(began)).toBeGreaterThanOrEqual(0)
  expect(JSON.stringify(report)).not.toMatch(/[0-9a-f]{64}|correct horse/)
})

test('[S16] a key that does not open the history is described with the failure', async () => {
  const home = await createTestHome()
  ;(await openHistory({ home, key: KEY })).close()
  await writeFile(join(home, 'history.key'), 'c3'.repeat(32), { mode: 0o600 })
  expect(await describeKey({ home, keychain: noKeychain })).toMatchObject({
    state: 'does not open',
    key: { place: 'key file', where: expect.stringContaining(join(home, 'history.key')) },
    failure: { code: 'history_key_wrong' },
  })
})

test('[S16] a history without a date in its check has no "since"', async () => {
  const home = await createTestHome()
  ;(await openHistory({ home, key: KEY })).close()
  const check = join(home, 'history.check')
  await writeFile(check, (await readFile(check, 'utf8')).replace(/ made .*/, ''))
  const report = await describeKey({ home, key: KEY })
  expect(report.state).toBe('opens')
  expect(report).not.toHaveProperty('since')
})

test('[S16] without a history, nothing is created', async () => {
  const home = join(await createTestHome(), 'home')
  const keychain = createMemoryKeychain()
  expect(await describeKey({ home, keychain })).toMatchObject({
    state: 'no history yet',
    history: join(home, 'history.db'),
    keyFile: join(home, 'history.key'),
  })
  await expect(readdir(home)).rejects.toMatchObject({ code: 'ENOENT' })
})
