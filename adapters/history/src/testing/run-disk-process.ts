import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { describeKey, openHistory, rotateKey } from '../index.ts'
import { noKeychain } from './keychains.ts'
import { createNewTurn, startSession } from './turns.ts'

export interface DiskStepResult {
  readonly what: string
  /** Its result, or its error. */
  readonly gave?: unknown
  readonly code?: string
  readonly message?: string
}

const [disk = '', scenario] = process.argv.slice(2)
const home = join(disk, 'home')
const options = { home, keychain: noKeychain }
const outcomes: DiskStepResult[] = []

await (scenario === 'full' ? fillUp() : lockUp())
console.log(JSON.stringify(outcomes))

async function fillUp(): Promise<void> {
  fill()
  await record('make', () => openHistory(options))
  free()
  const history = await openHistory(options)
  const { store, verify, close } = history
  const id = await startSession(store)
  await store.beginTurn(createNewTurn(id, 'before'))
  const another = await startSession(store)
  fill()
  // The log has free space from before, and still takes some writes.
  await record('write', async () => {
    for (let n = 0; n < 1_000; n += 1)
      await store.beginTurn(createNewTurn(await startSession(store), 'x'.repeat(5_000)))
  })
  await record('read', async () => (await store.readTail(id, 1)).length)
  free()
  await record(
    'write with room again',
    async () => (await store.beginTurn(createNewTurn(another, 'x'.repeat(200_000)))).turnNumber,
  )
  await record('verify', () => verify().pages > 0)
  close()
  fill()
  await record('open', () => openHistory(options))
  await record('rotate', () => rotateKey(options))
  free()
  fill({ leave: 100_000 })
  await record('rotate with little room', () => rotateKey(options))
  await record('files left by the rotation', () => readdirSync(home).filter((name) => /next|new/.test(name)))
  free()
  await record('rotate with room again', async () => (await rotateKey(options)).keyPlace)
  const reopened = await openHistory(options)
  const [first, second] = [await reopened.store.readTail(id, 1), await reopened.store.readTail(another, 1)]
  await record('stored messages', () => [first, second].map((messages) => messages.length))
  reopened.close()
}

async function lockUp(): Promise<void> {
  const { store, close } = await openHistory(options)
  const id = await startSession(store)
  await store.beginTurn(createNewTurn(id))
  close()
  execFileSync('mount', ['-o', 'remount,ro', disk])
  await record('open', () => openHistory(options))
  await record('rotate', () => rotateKey(options))
  await record('describe', () => describeKey(options))
  await record('make', () => openHistory({ ...options, home: join(disk, 'deep', 'home') }))
  execFileSync('mount', ['-o', 'remount,rw', disk])
  const reopened = await openHistory(options)
  const kept = await reopened.store.readTail(id, 1)
  await record('stored messages', () => kept.length)
  reopened.close()
}

async function record(what: string, work: () => unknown): Promise<void> {
  try {
    outcomes.push({ what, gave: await work() })
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    outcomes.push({ what, code: error.code, message: error.message })
  }
}

function fill({ leave = 0 } = {}): void {
  const file = openSync(join(disk, 'fill'), 'w')
  for (const bytes of [4_096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  ftruncateSync(file, fstatSync(file).size - leave)
  closeSync(file)
}

function free(): void {
  rmSync(join(disk, 'fill'))
}
