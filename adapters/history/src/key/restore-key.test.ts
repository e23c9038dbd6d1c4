import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHistory, readKeyToBackUp, restoreKey, rotateKey, writeBackUp } from '../index.ts'
import { readAllFiles, createTestHome, KEY } from '../testing/fresh-home.ts'
import { createMemoryKeychain, noKeychain } from '../testing/keychains.ts'
import { startSession } from '../testing/turns.ts'

async function createHistory(keychain = noKeychain): Promise<string> {
  const home = await createTestHome()
  const { store, close } = await openHistory({ home, keychain })
  await startSession(store)
  close()
  return home
}

const canOpen = async (options: Parameters<typeof openHistory>[0]) => {
  const { store, keyPlace, close } = await openHistory(options)
  expect((await store.list({ limit: 10 })).items).toHaveLength(1)
  close()
  return keyPlace
}

test('[S16] a lost key is restored from its back-up', async () => {
  const home = await createHistory()
  const { key, text, history } = await readKeyToBackUp({ home, keychain: noKeychain })
  expect(text).toMatch(/^# .*key of the Parley history.*\n[0-9a-f]{64}\n$/)
  expect(text).toContain(history)
  await rm(join(home, 'history.key'))
  await expect(openHistory({ home, keychain: noKeychain })).rejects.toMatchObject({
    code: 'history_key_wrong',
  })
  const restored = await restoreKey({ home, keychain: noKeychain, text, file: 'key.txt' })
  expect(restored).toMatchObject({ history, keyPlace: 'key file' })
  expect(await readFile(join(home, 'history.key'), 'utf8')).toBe(`${key}\n`)
  expect((await stat(join(home, 'history.key'))).mode & 0o777).toBe(0o600)
  expect(await canOpen({ home, keychain: noKeychain })).toBe('key file')
})

test('[S16] a restored key goes to the keychain if there is one, and replaces an invalid key file', async () => {
  const kept = new Map<string, string>()
  const keychain = createMemoryKeychain(kept)
  const home = await createHistory(keychain)
  const { text } = await readKeyToBackUp({ home, keychain })
  kept.clear()
  await restoreKey({ home, keychain, text, file: 'key.txt' })
  expect(await canOpen({ home, keychain })).toBe('keychain')
  await writeFile(join(home, 'history.key'), 'not a key', { mode: 0o600 })
  await expect(openHistory({ home, keychain })).rejects.toMatchObject({ code: 'history_key_wrong' })
  await restoreKey({ home, keychain, text, file: 'key.txt' })
  expect(await canOpen({ home, keychain })).toBe('key file')
})

test.each([
  ['another key', 'c3'.repeat(32), 'history_key_wrong'],
  ['no key', '# a remark\n', 'validation'],
  ['a short key', KEY.slice(1), 'validation'],
  ['two keys', `${KEY}\n${KEY}\n`, 'validation'],
])('[S16] a back-up with %s is refused and changes nothing', async (_, text, code) => {
  const home = await createHistory()
  const before = await readAllFiles(home)
  const failure: Error = await restoreKey({ home, keychain: noKeychain, text, file: '/stick/key.txt' }).catch(
    (error) => error,
  )
  expect(failure).toMatchObject({ code })
  expect(failure.message).toContain('/stick/key.txt')
  expect(await readAllFiles(home)).toEqual(before)
})

test('[S16] an old history that was restored opens again with its own key', async () => {
  const home = await createHistory()
  const access = { home, keychain: noKeychain }
  const old = await readFile(join(home, 'history.db'))
  const { text } = await readKeyToBackUp(access)
  await rotateKey(access)
  await expect(restoreKey({ ...access, text, file: 'key.txt' })).rejects.toMatchObject({
    code: 'history_key_wrong',
  })
  await writeFile(join(home, 'history.db'), old)
  await expect(openHistory(access)).rejects.toThrow('from before a key rotation')
  await restoreKey({ ...access, text, file: 'key.txt' })
  expect(await canOpen(access)).toBe('key file')
  // The check belongs to this key again.
  await writeFile(join(home, 'history.db'), old.fill(0, 20, 40))
  await expect(openHistory(access)).rejects.toMatchObject({ code: 'history_damaged' })
})

test('[S16] a passphrase cannot be backed up', async () => {
  const home = await createTestHome()
  ;(await openHistory({ home, key: 'correct horse' })).close()
  const failure: Error = await readKeyToBackUp({ home, key: 'correct horse' }).catch((error) => error)
  expect(failure).toMatchObject({ code: 'validation' })
  expect(failure.message).not.toContain('correct horse')
})

test('[S16] a key that does not open the history is not backed up', async () => {
  const home = await createHistory()
  await expect(readKeyToBackUp({ home, key: KEY })).rejects.toMatchObject({ code: 'history_key_wrong' })
})

test('[S16] a back-up is readable only by its owner and overwrites no file without --force', async () => {
  const folder = await createTestHome()
  const file = join(folder, 'key.txt')
  await writeBackUp(file, 'first\n', { overwrite: false })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expect(writeBackUp(file, 'second\n', { overwrite: false })).rejects.toMatchObject({
    code: 'validation',
  })
  expect(await readFile(file, 'utf8')).toBe('first\n')
  await writeBackUp(file, 'second\n', { overwrite: true })
  expect(await readFile(file, 'utf8')).toBe('second\n')
  expect(await readdir(folder)).toEqual(['key.txt'])
})

test('[S16] only a regular file is overwritten', async () => {
  const folder = await createTestHome()
  await mkdir(join(folder, 'folder'))
  await symlink(join(folder, 'elsewhere'), join(folder, 'link'))
  for (const overwrite of [false, true]) {
    for (const name of ['folder', 'link', 'missing/key.txt']) {
      const written = writeBackUp(join(folder, name), 'x', { overwrite })
      const failure: Error = await written.then(
        () => new Error('It was written.'),
        (error) => error,
      )
      expect(failure).toMatchObject({ code: 'validation' })
      expect(failure.message).toContain(`cannot be written to ${join(folder, name)}`)
    }
  }
  expect((await readdir(folder)).toSorted()).toEqual(['folder', 'link'])
})
