import {
  chmod,
  chown,
  copyFile,
  mkdir,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3-multiple-ciphers'
import { expect, onTestFinished, test } from 'vitest'
import { openHistory } from './index.ts'
import { readAllFiles, createTestHome, KEY } from './testing/fresh-home.ts'
import { startHistoryProcess } from './testing/history-process.ts'
import { createMemoryKeychain, noKeychain, createSlowKeychain } from './testing/keychains.ts'
import { createNewTurn, startSession } from './testing/turns.ts'

const OTHER_KEY = 'c3'.repeat(32)
const readMode = async (path: string) => (await stat(path)).mode & 0o777

test('[S16] the files do not contain messages in clear text, and only their owner can open them', async () => {
  const home = join(await createTestHome(), 'deep', 'home')
  const { store, path, keyPlace, close } = await openHistory({ home, key: KEY })
  expect(keyPlace).toBe('environment')
  await store.beginTurn(createNewTurn(await startSession(store), 'My secret garden'))
  expect(await readdir(home)).toEqual(
    expect.arrayContaining(['history.db', 'history.db-shm', 'history.db-wal']),
  )
  for (const name of await readdir(home)) {
    expect(await readMode(join(home, name))).toBe(0o600)
    expect((await readFile(join(home, name))).includes('secret garden')).toBe(false)
  }
  close()
  expect(await readMode(home)).toBe(0o700)
  const bytes = await readFile(path)
  expect(bytes.length).toBeGreaterThan(4_096)
  expect(bytes.includes('SQLite format 3')).toBe(false)
  expect(bytes.includes('secret garden')).toBe(false)
})

test('[S16] a history that others could read is restricted to its owner', async () => {
  const home = await createTestHome()
  const first = await openHistory({ home, key: KEY })
  first.close()
  await chmod(first.path, 0o644)
  const { store, close } = await openHistory({ home, key: KEY })
  await startSession(store)
  for (const name of await readdir(home)) expect(await readMode(join(home, name))).toBe(0o600)
  close()
})

test.each([
  ['key', KEY, OTHER_KEY],
  ['passphrase', 'correct horse battery staple', 'correct horse battery stapler'],
])('[S16] a wrong %s is reported as wrong and changes nothing', async (_, right, wrong) => {
  const home = await createTestHome()
  const first = await openHistory({ home, key: right })
  const id = await startSession(first.store)
  first.close()
  const before = await readAllFiles(home)
  const failure: Error = await openHistory({ home, key: wrong }).catch((error) => error)
  expect(failure).toMatchObject({ code: 'history_key_wrong' })
  expect(failure.message).toContain('PARLEY_HISTORY_KEY')
  expect(failure.message).toContain('history.db')
  expect(failure.message).not.toContain(wrong)
  expect(await readAllFiles(home)).toEqual(before)
  const again = await openHistory({ home, key: right })
  expect(await again.store.find(id)).toBeDefined()
  again.close()
})

test('[S16] a wrong key leaves the log of a killed process unchanged', async () => {
  const home = await createTestHome()
  const setUp = await openHistory({ home, key: KEY })
  const sessionId = await startSession(setUp.store)
  setUp.close()
  const { child } = await startHistoryProcess({ home, key: KEY, act: { kind: 'begin', sessionId } })
  child.kill('SIGKILL')
  const before = await readAllFiles(home)
  await expect(openHistory({ home, key: OTHER_KEY })).rejects.toMatchObject({ code: 'history_key_wrong' })
  const { 'history.db': file, 'history.db-wal': log } = await readAllFiles(home)
  expect({ file, log }).toEqual({ file: before['history.db'], log: before['history.db-wal'] })
  const { store, close } = await openHistory({ home, key: KEY })
  expect(await store.readTail(sessionId, 10)).toHaveLength(1)
  close()
})

test('[S16] without a key check, a key that does not open the file counts as wrong', async () => {
  const home = await createTestHome()
  ;(await openHistory({ home, key: KEY })).close()
  await rm(join(home, 'history.check'))
  await expect(openHistory({ home, key: OTHER_KEY })).rejects.toMatchObject({ code: 'history_key_wrong' })
  ;(await openHistory({ home, key: KEY })).close()
  expect(await readdir(home)).toContain('history.check')
})

test('[S16] the keychain stores the key under the real path of the folder', async () => {
  const home = await createTestHome()
  const kept = new Map<string, string>()
  const notices: string[] = []
  const options = {
    home,
    keychain: createMemoryKeychain(kept),
    onNotice: (text: string) => notices.push(text),
  }
  for (let time = 0; time < 2; time += 1) {
    const history = await openHistory(options)
    expect(history.keyPlace).toBe('keychain')
    history.close()
  }
  expect([...kept]).toEqual([[await realpath(home), expect.stringMatching(/^[0-9a-f]{64}$/)]])
  expect(await readdir(home)).not.toContain('history.key')
  expect(notices).toEqual([])
})

test.each([
  ['throws', noKeychain],
  ['throws when it should keep something', { ...noKeychain, get: async () => undefined }],
  ['forgets', { get: async () => undefined, set: async () => undefined }],
])('[S16] if the keychain %s, a file that only its owner can read stores the key', async (_, keychain) => {
  const home = await createTestHome()
  const notices: string[] = []
  for (let time = 0; time < 2; time += 1) {
    const history = await openHistory({ home, keychain, onNotice: (text) => notices.push(text) })
    expect(history.keyPlace).toBe('key file')
    history.close()
  }
  const keyFile = join(home, 'history.key')
  expect(await readMode(keyFile)).toBe(0o600)
  expect(await readFile(keyFile, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  expect(notices).toEqual([expect.stringContaining(keyFile)])
})

test('[S16] a key file that others could read is restricted to its owner, with a notice', async () => {
  const home = await createTestHome()
  const keyFile = join(home, 'history.key')
  await writeFile(keyFile, KEY, { mode: 0o644 })
  const notices: string[] = []
  const history = await openHistory({ home, keychain: noKeychain, onNotice: (text) => notices.push(text) })
  history.close()
  expect(history.keyPlace).toBe('key file')
  expect(await readMode(keyFile)).toBe(0o600)
  expect(notices).toEqual([expect.stringContaining(keyFile)])
})

test.each(['', 'not a key', KEY.slice(1), `${KEY}0`])(
  '[S16] a key file that holds %j is an error that names it',
  async (text) => {
    const home = await createTestHome()
    await writeFile(join(home, 'history.key'), text, { mode: 0o600 })
    const failure: Error = await openHistory({ home, keychain: createMemoryKeychain() }).catch(
      (error) => error,
    )
    expect(failure).toMatchObject({ code: 'history_key_wrong' })
    expect(failure.message).toContain(join(home, 'history.key'))
    expect(await readdir(home)).not.toContain('history.db')
  },
)

test('[S16] the error for a wrong key in a key file names that file', async () => {
  const home = await createTestHome()
  ;(await openHistory({ home, key: KEY })).close()
  await writeFile(join(home, 'history.key'), OTHER_KEY, { mode: 0o600 })
  const failure: Error = await openHistory({ home, keychain: noKeychain }).catch((error) => error)
  expect(failure).toMatchObject({ code: 'history_key_wrong', detail: { keyPlace: 'key file' } })
  expect(failure.message).toContain(join(home, 'history.key'))
  expect(failure.message).not.toContain(OTHER_KEY)
})

test.each([
  ['is empty', createMemoryKeychain()],
  ['cannot be used', noKeychain],
])('[S16] a history whose key is gone gets no new key if the keychain %s', async (_, keychain) => {
  const home = await createTestHome()
  ;(await openHistory({ home, keychain: createMemoryKeychain() })).close()
  const before = await readAllFiles(home)
  const failure: Error = await openHistory({ home, keychain }).catch((error) => error)
  expect(failure).toMatchObject({ code: 'history_key_wrong' })
  for (const place of ['PARLEY_HISTORY_KEY', join(home, 'history.key'), 'keychain']) {
    expect(failure.message).toContain(place)
  }
  expect(await readAllFiles(home)).toEqual(before)
})

test('[S16] many concurrent openers of a new history get the same key', async () => {
  const home = await createTestHome()
  const keychain = createSlowKeychain(createMemoryKeychain())
  const all = await Promise.all(Array.from({ length: 8 }, () => openHistory({ home, keychain })))
  expect(new Set(all.map(({ keyPlace }) => keyPlace))).toEqual(new Set(['keychain']))
  for (const { store } of all) await startSession(store)
  expect((await all[0]?.store.list({ limit: 100 }))?.items).toHaveLength(8)
  for (const { close } of all) close()
})

test('[S16] processes that open a new history at once get the same key', async () => {
  const home = await createTestHome()
  const task = { home, act: { kind: 'start-session' as const } }
  const others = await Promise.all([1, 2, 3].map(() => startHistoryProcess(task)))
  expect(others.map(({ outcome }) => outcome.error)).toEqual([undefined, undefined, undefined])
  const { store, close } = await openHistory({ home, keychain: noKeychain })
  expect((await store.list({ limit: 100 })).items).toHaveLength(3)
  close()
})

test('a history that was moved away is replaced by a new one', async () => {
  const home = await createTestHome()
  const first = await openHistory({ home, key: KEY })
  await first.store.beginTurn(createNewTurn(await startSession(first.store)))
  // A killed process may leave a log without its file.
  await copyFile(`${first.path}-wal`, join(home, 'kept'))
  first.close()
  await rm(first.path)
  await copyFile(join(home, 'kept'), `${first.path}-wal`)
  const { store, close } = await openHistory({ home, key: OTHER_KEY })
  expect((await store.list({ limit: 1 })).items).toEqual([])
  close()
})

test('an empty file becomes a new history, unless it was a history before', async () => {
  const home = await createTestHome()
  const path = join(home, 'history.db')
  await writeFile(path, '', { mode: 0o600 })
  ;(await openHistory({ home, key: KEY })).close()
  await truncate(path, 0)
  await expect(openHistory({ home, key: KEY })).rejects.toMatchObject({ code: 'history_damaged' })
})

test.each([
  ['newer', 99],
  ['older', 3],
])('a history of a format that is %s is refused and left unchanged', async (age, format) => {
  const home = await createTestHome()
  const { path, close } = await openHistory({ home, key: KEY })
  close()
  const other = new Database(path)
  other.pragma("cipher = 'chacha20'")
  other.pragma(`key = "x'${KEY}'"`)
  other.pragma(`user_version = ${format}`)
  other.close()
  const before = await readAllFiles(home)
  const failure: Error = await openHistory({ home, key: KEY }).catch((error) => error)
  expect(failure).toMatchObject({ code: 'history_unwritable' })
  expect(failure.message).toContain(`${age} Parley`)
  expect(await readAllFiles(home)).toEqual(before)
})

test('a home that is a file is reported as an error', async () => {
  const home = join(await createTestHome(), 'file')
  await writeFile(home, '')
  const failure: Error = await openHistory({ home, key: KEY }).catch((error) => error)
  expect(failure).toMatchObject({ code: 'history_unwritable' })
  expect(failure.message).toContain('not a folder')
})

// Permissions do not restrict root, so root runs this as another user.
const someone = process.getuid?.() === 0 ? { userId: 65_534 } : {}

async function createLockedHome(names: readonly string[]): Promise<string> {
  const outer = await createTestHome()
  const home = join(outer, 'home')
  await mkdir(home)
  if (names.length > 0) (await openHistory({ home, key: KEY })).close()
  for (const path of [outer, home, ...(await readdir(home)).map((name) => join(home, name))]) {
    if (someone.userId !== undefined) await chown(path, someone.userId, someone.userId)
  }
  for (const name of names) await chmod(join(home, name), 0o400)
  await chmod(home, 0o500)
  onTestFinished(() => chmod(home, 0o700))
  return home
}

test.each([
  ['a folder that cannot be written', []],
  ['a folder and a history that cannot be written', ['history.db']],
])('[S16] %s is reported as an error', async (_, names) => {
  const home = await createLockedHome(names)
  const { outcome } = await startHistoryProcess({
    home,
    key: KEY,
    ...someone,
    act: { kind: 'start-session' },
  })
  expect(outcome.error).toMatchObject({ code: 'history_read_only' })
  expect(outcome.error?.message).toContain(join(home, 'history.db'))
})
