import { cpSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'
import Database from 'better-sqlite3-multiple-ciphers'
import { openHistory, rotateKey } from '../index.ts'
import type { KeyTask } from './key-process.ts'
import { createFileKeychain, noKeychain } from './keychains.ts'

/** Long enough for another process to act in between. */
const PAUSE_MS = 100

/** SQLite operations that change files. */
const CHANGES = /journal_mode|rekey|vacuum|begin/

const task: KeyTask = JSON.parse(process.argv[2] ?? '')
const { home, keychainFile } = task
const options = {
  home,
  keychain: keychainFile === undefined ? noKeychain : createFileKeychain(keychainFile),
  ...(task.key !== undefined && { key: task.key }),
}

try {
  if (task.act === 'rotate') {
    if (task.copiesIn !== undefined) copyBeforeSteps(task.copiesIn)
    console.log('begun')
    await rotateKey({ ...options, ...(task.newKey !== undefined && { newKey: task.newKey }) })
    console.log('done')
  } else console.log(await writeUntilTold(task.act))
} catch (error) {
  if (!(error instanceof PlatformError)) throw error
  console.log(error.code)
}

/** The number of stored sessions. */
async function writeUntilTold(act: 'keep writing' | 'keep opening'): Promise<number> {
  // Imported here, since rotating processes start often and do not need it.
  const { startSession } = await import('./turns.ts')
  process.stdin.resume()
  let stored = 0
  let history = await openHistory(options)
  do {
    await startSession(history.store)
    stored += 1
    if (stored === 1) console.log('begun')
    if (act === 'keep opening') {
      history.close()
      await delay(PAUSE_MS)
      history = await openHistory(options)
    }
    await delay(0)
  } while (!process.stdin.readableEnded)
  history.close()
  return stored
}

function copyBeforeSteps(folder: string): void {
  let step = 0
  const copying = (host: object, names: readonly string[]) => {
    for (const name of names) {
      const original: (...values: unknown[]) => unknown = Reflect.get(host, name)
      Reflect.set(host, name, function copyFirst(this: unknown, ...values: unknown[]) {
        if (host === fs || name === 'close' || CHANGES.test(String(values[0]))) {
          step += 1
          cpSync(home, join(folder, String(step)), { recursive: true })
        }
        return original.apply(this, values)
      })
    }
  }
  copying(fs, ['open', 'rename', 'rm'])
  copying(Database.prototype, ['close', 'exec', 'pragma', 'prepare', 'rekey'])
  syncBuiltinESMExports()
}
