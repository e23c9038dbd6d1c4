import { PlatformError } from '@parley/contracts'
import Database from 'better-sqlite3-multiple-ciphers'
import { openHistory } from '../index.ts'
import type { Outcome, Task } from './history-process.ts'
import { noKeychain } from './keychains.ts'
import { opening, startSession } from './turns.ts'

const task: Task = JSON.parse(process.argv[2] ?? '')
// Only now, since that user may have no access to the folder of this program.
if (task.userId !== undefined) {
  // The first database loads the native part.
  new Database(':memory:').close()
  process.setgid?.(task.userId)
  process.setuid?.(task.userId)
}
console.log(JSON.stringify(await outcomeOf(task)))
setInterval(() => undefined, 60_000)

async function outcomeOf({ home, key, act }: Task): Promise<Outcome> {
  try {
    const { store } = await openHistory({ home, ...(key !== undefined && { key }), keychain: noKeychain })
    const result =
      act.kind === 'begin' ? await store.begin(opening(act.sessionId)) : await startSession(store)
    return { result }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return { error: { code: error.code, message: error.message } }
  }
}
