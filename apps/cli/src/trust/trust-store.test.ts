import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder, createHome } from '../testing/parley-process.ts'
import { isTrustedFile, readTrust, revokeTrust, trustFiles } from './trust-store.ts'

const file = (name: string, digit = 'a') => ({ path: `/projects/${name}`, sha256: digit.repeat(64) })

test('[S13] exact bytes at a path are trusted, and nothing else', async () => {
  await using at = await createHome()
  await trustFiles(at.home, [file('one')])
  const trust = await readTrust(at.home)
  expect(isTrustedFile(trust, file('one'))).toBe(true)
  expect(isTrustedFile(trust, file('one', 'b'))).toBe(false)
  expect(isTrustedFile(trust, file('two'))).toBe(false)
})

test('[S13] newer bytes replace older ones', async () => {
  await using at = await createHome()
  await trustFiles(at.home, [file('one'), file('two')])
  await trustFiles(at.home, [file('one', 'b')])
  const trust = await readTrust(at.home)
  expect(isTrustedFile(trust, file('one'))).toBe(false)
  expect(trust.map(({ path }) => path)).toEqual(['/projects/two', '/projects/one'])
})

test('[S13] revoked files are returned and no longer trusted', async () => {
  await using at = await createHome()
  await trustFiles(at.home, [file('a/one'), file('a/two'), file('b')])
  expect(await revokeTrust(at.home, (path) => path.startsWith('/projects/a/'))).toEqual([
    '/projects/a/one',
    '/projects/a/two',
  ])
  expect((await readTrust(at.home)).map(({ path }) => path)).toEqual(['/projects/b'])
})

test('[S13] concurrent changes lose nothing and leave no files behind', async () => {
  await using at = await createFolder()
  const names = Array.from({ length: 30 }, (_, index) => `file-${index}`)
  await Promise.all(names.map((name) => trustFiles(at.home, [file(name)])))
  expect((await readTrust(at.home)).map(({ path }) => path).toSorted()).toEqual(
    names.map((name) => file(name).path).toSorted(),
  )
  expect((await readdir(at.home)).toSorted()).toEqual(['settings.lock', 'trust.json'])
})

test.skipIf(process.platform === 'win32')('[S13] the list is readable by its owner only', async () => {
  await using at = await createHome()
  await writeFile(join(at.home, 'trust.json'), '{"files":[]}', { mode: 0o666 })
  await trustFiles(at.home, [file('one')])
  expect((await stat(join(at.home, 'trust.json'))).mode & 0o777).toBe(0o600)
})

test('[S18] a linked file stays a link', async () => {
  await using at = await createHome()
  const elsewhere = join(at.home, 'elsewhere.json')
  await writeFile(elsewhere, '{"files":[]}')
  await symlink(elsewhere, join(at.home, 'trust.json'))
  await trustFiles(at.home, [file('one')])
  expect(await readFile(elsewhere, 'utf8')).toContain('/projects/one')
})

test('[S13] a broken list is not overwritten', async () => {
  await using at = await createHome()
  await writeFile(join(at.home, 'trust.json'), 'not JSON')
  await expect(trustFiles(at.home, [file('one')])).rejects.toMatchObject({ code: 'config_invalid' })
  expect(await readFile(join(at.home, 'trust.json'), 'utf8')).toBe('not JSON')
})
