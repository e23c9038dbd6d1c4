import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** What another process does with a history and its key. */
export type KeyTask = {
  readonly home: string
  readonly key?: string
  readonly newKey?: string
  /** A file that stands for the keychain; without one there is none. */
  readonly keychainFile?: string
} &
  /** Before each thing that it does to a file, the home is copied to a folder there: what a kill would leave. */
  (
    | { readonly act: 'rotate'; readonly copiesIn?: string }
    /** Goes on until its input ends. */
    | { readonly act: 'keep writing' | 'keep opening' }
  )

const PROGRAM = fileURLToPath(new URL('run-key-process.ts', import.meta.url))

/** Starts it; it tells a line when it has begun, and a line of what came of it. */
export function keyProcess(task: KeyTask) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string | undefined> => {
    const { value, done } = await lines.next()
    return done ? undefined : value
  }
  return { child, nextLine, signal: signalOf(child) }
}

/** The signal that ended it. */
function signalOf(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
}
