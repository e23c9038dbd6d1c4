import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openHistory } from '../open-history.ts'
import { createTestHome, KEY } from '../testing/fresh-home.ts'

async function openSecrets(home: string) {
  const history = await openHistory({ home, key: KEY })
  onTestFinished(() => history.close())
  return history.secrets
}

const listShort = (secrets: { list(): readonly { name: string; value: string; isRetired: boolean }[] }) =>
  secrets.list().map(({ name, value, isRetired }) => [name, value, isRetired])

test('[S13] a secret is set, replaced and removed; every value stays known', async () => {
  const home = await createTestHome()
  const secrets = await openSecrets(home)
  expect(secrets.list()).toEqual([])
  secrets.set('TIDES', 'made-up-one')
  secrets.set('TIDES', 'made-up-two')
  expect(listShort(secrets)).toEqual([
    ['TIDES', 'made-up-one', true],
    ['TIDES', 'made-up-two', false],
  ])
  expect(secrets.remove('TIDES')).toBe(true)
  expect(secrets.remove('TIDES')).toBe(false)
  secrets.set('TIDES', 'made-up-one')
  expect(listShort(await openSecrets(home))).toEqual([
    ['TIDES', 'made-up-two', true],
    ['TIDES', 'made-up-one', false],
  ])
})

test('[S13] of values set within one millisecond, the current one is listed last', async () => {
  const secrets = await openSecrets(await createTestHome())
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  for (const value of ['made-up-b', 'made-up-c', 'made-up-a', 'made-up-b']) secrets.set('TIDES', value)
  expect(listShort(secrets)).toEqual([
    ['TIDES', 'made-up-c', true],
    ['TIDES', 'made-up-a', true],
    ['TIDES', 'made-up-b', false],
  ])
})

test('[S16] the file does not contain a secret in clear text', async () => {
  const home = await createTestHome()
  const secrets = await openSecrets(home)
  secrets.set('TIDES', 'made-up-value-in-clear')
  for (const name of ['history.db', 'history.db-wal'])
    expect((await readFile(join(home, name)).catch(() => Buffer.alloc(0))).includes('made-up-value')).toBe(
      false,
    )
})
