import { PlatformError } from '@parley/contracts'
import Database from 'better-sqlite3-multiple-ciphers'
import { openHistory } from '../index.ts'
import type { HistoryTaskResult, HistoryTask } from './history-process.ts'
import { noKeychain } from './keychains.ts'
import { createNewTurn, startSession } from './turns.ts'

const task: HistoryTask = JSON.parse(process.argv[2] ?? '')
// Only now, since that user may have no access to the folder of this program.
if (task.userId !== undefined) {
  // The first database loads the native part.
  new Database(':memory:').close()
  process.setgid?.(task.userId)
  process.setuid?.(task.userId)
}
console.log(JSON.stringify(await runTask(task)))
setInterval(() => undefined, 60_000)

async function runTask({ home, key, act }: HistoryTask): Promise<HistoryTaskResult> {
  try {
    const { store } = await openHistory({ home, ...(key !== undefined && { key }), keychain: noKeychain })
    const result =
      act.kind === 'begin' ? await store.beginTurn(createNewTurn(act.sessionId)) : await startSession(store)
    return { result }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return { error: { code: error.code, message: error.message } }
  }
}
