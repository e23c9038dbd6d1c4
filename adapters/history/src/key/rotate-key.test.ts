import { once } from 'node:events'
import { cp, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3-multiple-ciphers'
import { expect, test } from 'vitest'
import { describeKey, type Keychain, openHistory, rotateKey } from '../index.ts'
import { readAllFiles, createTestHome, KEY } from '../testing/fresh-home.ts'
import { startKeyProcess, type KeyTask } from '../testing/key-process.ts'
import { createFileKeychain, createMemoryKeychain, noKeychain } from '../testing/keychains.ts'
import { createNewTurn, startSession } from '../testing/turns.ts'

const NEW_KEY = 'c3'.repeat(32)
const SESSIONS = 30

type TestedKeyPlace = 'key file' | 'keychain' | 'environment'

/** A history whose key is in that place, and the options of other openers. */
async function filledHome(place: TestedKeyPlace): Promise<{ home: string; access: Access }> {
  const home = await createTestHome()
  const access = toHistoryOptions(home, place)
  const { store, close } = await openHistory(access)
  for (let n = 0; n < SESSIONS; n += 1)
    await store.beginTurn(createNewTurn(await startSession(store), 'x'.repeat(5_000)))
  close()
  return { home, access }
}

type Access = ReturnType<typeof toHistoryOptions>

function toHistoryOptions(home: string, place: TestedKeyPlace) {
  if (place === 'environment') return { home, key: KEY, keychain: noKeychain }
  return { home, keychain: place === 'keychain' ? createFileKeychain(join(home, 'keychain')) : noKeychain }
}

const toKeyTask = (home: string, place: TestedKeyPlace): Omit<KeyTask, 'act'> => ({
  home,
  ...(place === 'environment' && { key: KEY, newKey: NEW_KEY }),
  ...(place === 'keychain' && { keychainFile: join(home, 'keychain') }),
})

async function countSessions(access: Parameters<typeof openHistory>[0]): Promise<number> {
  const { store, verify, close } = await openHistory(access)
  try {
    verify()
    const { items } = await store.list({ limit: 10_000 })
    for (const { session } of items) await store.readTail(session.id, 1)
    return items.length
  } finally {
    close()
  }
}

const readStoredKeys = async (home: string, place: TestedKeyPlace): Promise<readonly string[]> => {
  if (place === 'environment') return []
  const kept =
    place === 'key file'
      ? await readFile(join(home, 'history.key'), 'utf8')
      : await readFile(join(home, 'keychain'), 'utf8')
  return kept.trim().split('\n')
}

/** Reads it with SQLite alone, as only the key's owner can. */
function canOpenWith(home: string, hex: string): boolean {
  const database = new Database(join(home, 'history.db'))
  try {
    database.pragma("cipher = 'chacha20'")
    database.pragma(`key = "x'${hex}'"`)
    database.pragma('user_version')
    return true
  } catch {
    return false
  } finally {
    database.close()
  }
}

test.each<TestedKeyPlace>(['key file', 'keychain'])(
  '[S16] a rotated key in the %s opens the history, and the old one does not',
  async (place) => {
    const { home, access } = await filledHome(place)
    const [old = ''] = await readStoredKeys(home, place)
    const before = await describeKey(access)
    expect(before).toMatchObject({ state: 'opens', key: { place }, since: { event: 'made' } })
    await rotateKey(access)
    const [now = '', ...more] = await readStoredKeys(home, place)
    expect(more).toEqual([])
    expect(now).toMatch(/^[0-9a-f]{64}$/)
    expect({ old: canOpenWith(home, old), now: canOpenWith(home, now) }).toEqual({ old: false, now: true })
    expect(await countSessions(access)).toBe(SESSIONS)
    expect(await describeKey(access)).toMatchObject({
      state: 'opens',
      key: { place },
      since: { event: 'rotated' },
    })
  },
)

test('[S16] a given key or passphrase is replaced by the next given one', async () => {
  const home = await createTestHome()
  const first = await openHistory({ home, key: KEY })
  await startSession(first.store)
  first.close()
  let key = KEY
  for (const newKey of ['correct horse', NEW_KEY]) {
    await rotateKey({ home, key, newKey })
    await expect(openHistory({ home, key })).rejects.toMatchObject({ code: 'history_key_wrong' })
    key = newKey
  }
  expect(await countSessions({ home, key })).toBe(1)
}, 30_000)

test('[S16] a rotation leaves no earlier file beside the history and keeps its schema', async () => {
  const { home, access } = await filledHome('key file')
  const names = await readdir(home)
  const readFormat = () => {
    const database = new Database(join(home, 'history.db'))
    database.pragma("cipher = 'chacha20'")
    database.pragma(`key = "x'${KEY}'"`)
    const schema = database.prepare<[]>('select type, name, sql from sqlite_schema order by name').all()
    const version = database.pragma('user_version', { simple: true })
    database.close()
    return { schema, version }
  }
  const home2 = await createTestHome()
  await cp(home, home2, { recursive: true })
  await rotateKey(access)
  expect((await readdir(home)).toSorted()).toEqual(names.toSorted())
  expect((await stat(join(home, 'history.db'))).mode & 0o777).toBe(0o600)
  const [key = ''] = await readStoredKeys(home, 'key file')
  await rotateKey({ home, key, newKey: KEY })
  const after = readFormat()
  await rotateKey({ home: home2, key: (await readStoredKeys(home2, 'key file'))[0] ?? '', newKey: KEY })
  expect(after).toEqual(readFormat())
})

test.each<TestedKeyPlace>(['key file', 'keychain', 'environment'])(
  '[S16] wherever a rotation of the key in the %s is broken off, the history opens with a key that is kept',
  async (place) => {
    const { home } = await filledHome(place)
    const copiesIn = await createTestHome()
    const { signal } = startKeyProcess({ ...toKeyTask(home, place), act: 'rotate', copiesIn })
    expect(await signal).toBeNull()
    const copies = await readdir(copiesIn)
    expect(copies.length).toBeGreaterThan(20)
    for (const step of copies.toSorted((a, b) => Number(a) - Number(b))) {
      expect(await describeLeftovers(join(copiesIn, step), place), `before step ${step}`).toEqual(WHOLE)
    }
    expect(await describeLeftovers(home, place)).toEqual(WHOLE)
  },
)

const WHOLE = { sessions: SESSIONS, opening: 1, more: 0, other: 'history_key_wrong', checks: 1, drafts: [] }

/** The content of a history after an interrupted rotation. */
async function describeLeftovers(home: string, place: TestedKeyPlace): Promise<typeof WHOLE> {
  const [right, wrong] = canOpenWith(home, KEY) ? [KEY, NEW_KEY] : [NEW_KEY, KEY]
  const isGiven = place === 'environment'
  const sessions = await countSessions(isGiven ? { home, key: right } : toHistoryOptions(home, place))
  const kept = isGiven ? [KEY, NEW_KEY] : await readStoredKeys(home, place)
  const other = await openHistory({ home, key: isGiven ? wrong : 'd4'.repeat(32) }).catch(
    (error) => error.code,
  )
  const checks = await readFile(join(home, 'history.check'), 'utf8')
  return {
    sessions,
    opening: kept.filter((hex) => canOpenWith(home, hex)).length,
    more: isGiven ? 0 : kept.length - 1,
    other,
    checks: checks.trim().split('\n').length,
    drafts: (await readdir(home)).filter((name) => name.includes('.next')) as never[],
  }
}

/** `npm run soak` sets more. */
const KILLS = Number(process.env['PARLEY_KEY_KILLS'] ?? 3)

test(`[S16] ${KILLS} kills at any time in a large history lose nothing`, async () => {
  const home = await createTestHome()
  const access = toHistoryOptions(home, 'key file')
  const { store, close } = await openHistory(access)
  for (let n = 0; n < SESSIONS; n += 1)
    await store.beginTurn(createNewTurn(await startSession(store), 'x'.repeat(60_000)))
  close()
  const began = performance.now()
  await rotateKey(access)
  const whole = performance.now() - began
  let kills = 0
  for (let n = 0; kills < KILLS && n < 4 * KILLS; n += 1) {
    const { child, nextLine, signal } = startKeyProcess({ ...toKeyTask(home, 'key file'), act: 'rotate' })
    expect(await nextLine()).toBe('begun')
    await delay((whole * (n % KILLS)) / KILLS)
    child.kill('SIGKILL')
    if ((await signal) === 'SIGKILL') kills += 1
    expect(await describeLeftovers(home, 'key file')).toEqual(WHOLE)
  }
  expect(kills).toBe(KILLS)
}, 120_000)

test('[S16] a history that another process has open keeps its key and loses nothing', async () => {
  const { home, access } = await filledHome('key file')
  const [old] = await readStoredKeys(home, 'key file')
  const writer = startKeyProcess({ home, act: 'keep writing' })
  expect(await writer.nextLine()).toBe('begun')
  const failure: Error = await rotateKey(access).catch((error) => error)
  expect(failure).toMatchObject({ code: 'history_in_use' })
  expect(failure.message).toContain(join(home, 'history.db'))
  expect(await readStoredKeys(home, 'key file')).toEqual([old])
  writer.child.stdin.end()
  const kept = Number(await writer.nextLine())
  expect(kept).toBeGreaterThan(1)
  await once(writer.child, 'exit')
  expect(await countSessions(access)).toBe(SESSIONS + kept)
  await rotateKey(access)
  expect(await countSessions(access)).toBe(SESSIONS + kept)
})

test('[S16] processes that keep opening the history during a rotation lose nothing', async () => {
  const { home, access } = await filledHome('key file')
  const writers = [1, 2].map(() => startKeyProcess({ home, act: 'keep opening' }))
  for (const { nextLine } of writers) expect(await nextLine()).toBe('begun')
  const outcomes: string[] = []
  for (let n = 0; n < 8; n += 1) {
    const outcome = rotateKey(access).then(
      () => 'rotated',
      (error) => error.code,
    )
    outcomes.push(await outcome)
  }
  let kept = 0
  for (const { child, nextLine } of writers) {
    child.stdin.end()
    kept += Number(await nextLine())
  }
  expect(outcomes).toContain('rotated')
  expect(outcomes.filter((outcome) => outcome !== 'rotated' && outcome !== 'history_in_use')).toEqual([])
  expect(await countSessions(access)).toBe(SESSIONS + kept)
}, 60_000)

test('[S16] a program that opened the file without our lock stops the rotation', async () => {
  const { home, access } = await filledHome('environment')
  const other = new Database(join(home, 'history.db'))
  other.pragma("cipher = 'chacha20'")
  other.pragma(`key = "x'${KEY}'"`)
  other.prepare<[]>('select count(*) from agent_sessions').get()
  await expect(rotateKey({ ...access, newKey: NEW_KEY })).rejects.toMatchObject({ code: 'history_in_use' })
  other.exec('create table mine (x)')
  other.close()
  expect(await countSessions(access)).toBe(SESSIONS)
}, 30_000)

test.each([
  ['no new key', { key: KEY }, 'new key must be given'],
  ['the same key', { key: KEY, newKey: KEY.toUpperCase() }, 'already'],
  ['a wrong old key', { key: NEW_KEY, newKey: KEY }, 'does not open'],
])('[S16] with %s nothing is changed', async (_, given, words) => {
  const { home } = await filledHome('environment')
  const before = await readAllFiles(home)
  const failure: Error = await rotateKey({ home, ...given }).catch((error) => error)
  expect(failure.message).toContain(words)
  expect(await readAllFiles(home)).toEqual(before)
})

test('[S16] a new key from the environment is refused if the key is stored here', async () => {
  const { access } = await filledHome('key file')
  await expect(rotateKey({ ...access, newKey: NEW_KEY })).rejects.toMatchObject({ code: 'validation' })
})

test('[S16] the old key stays if the keychain refuses the new one', async () => {
  const home = await createTestHome()
  const kept = new Map<string, string>()
  const keychain = createMemoryKeychain(kept)
  ;(await openHistory({ home, keychain })).close()
  const before = [...kept]
  const locked = { ...keychain, set: () => Promise.reject(new Error('it is locked')) }
  await expect(rotateKey({ home, keychain: locked })).rejects.toThrow('it is locked')
  expect([...kept]).toEqual(before)
  expect(await countSessions({ home, keychain })).toBe(0)
})

test('[S16] the next start completes a rotation if the keychain was locked before the old key was removed', async () => {
  const home = await createTestHome()
  const kept = new Map<string, string>()
  const keychain = createMemoryKeychain(kept)
  ;(await openHistory({ home, keychain })).close()
  const notices: string[] = []
  const onNotice = (text: string) => notices.push(text)
  let isLocked = false
  const locking: Keychain = {
    get: keychain.get,
    async set(account, secret) {
      if (isLocked) throw new Error('it is locked')
      isLocked = true
      await keychain.set(account, secret)
    },
  }
  await rotateKey({ home, keychain: locking, onNotice })
  expect(notices).toEqual([expect.stringContaining('it is locked')])
  expect(await countSessions({ home, keychain: locking, onNotice })).toBe(0)
  expect(notices).toHaveLength(2)
  const [old, now] = [...kept.values()].join().split('\n')
  expect(now).toBeDefined()
  expect(await countSessions({ home, keychain })).toBe(0)
  expect([...kept.values()]).toEqual([now])
  expect(canOpenWith(home, old ?? '')).toBe(false)
})

test('rotating the key without a history creates none', async () => {
  const home = await createTestHome()
  await expect(rotateKey({ home, keychain: noKeychain })).rejects.toMatchObject({ code: 'not_found' })
  expect(await readdir(home)).toEqual([])
})
