import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A task for another process on a history and its key. */
export type KeyTask = {
  readonly home: string
  readonly key?: string
  readonly newKey?: string
  /** A file used as keychain; without it there is no keychain. */
  readonly keychainFile?: string
} &
  /** Before each file operation, the home is copied to a folder there: the state that a kill would leave. */
  (
    | { readonly act: 'rotate'; readonly copiesIn?: string }
    /** Runs until its input ends. */
    | { readonly act: 'keep writing' | 'keep opening' }
  )

const PROGRAM = fileURLToPath(new URL('run-key-process.ts', import.meta.url))

/** Starts it. It prints a line when it has begun, and a line with its result. */
export function startKeyProcess(task: KeyTask) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string | undefined> => {
    const { value, done } = await lines.next()
    return done ? undefined : value
  }
  return { child, nextLine, signal: waitForSignal(child) }
}

/** The signal that ended it. */
function waitForSignal(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
}
