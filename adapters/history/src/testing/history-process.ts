import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { SessionId } from '@parley/contracts'
import { onTestFinished } from 'vitest'

/** The task of the process, which then stays alive until it is ended. */
export interface HistoryTask {
  readonly home: string
  readonly key?: string
  readonly userId?: number
  readonly act: { readonly kind: 'start-session' } | { readonly kind: 'begin'; readonly sessionId: SessionId }
}

export interface HistoryTaskResult {
  readonly result?: unknown
  readonly error?: { readonly code: string; readonly message: string }
}

const PROGRAM = fileURLToPath(new URL('run-history-process.ts', import.meta.url))

/** Another process on the same history, with the result of its task. */
export async function startHistoryProcess(
  task: HistoryTask,
): Promise<{ child: ChildProcess; outcome: HistoryTaskResult }> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const outcome = await readFirstLine(child.stdout)
  return { child, outcome: JSON.parse(outcome) }
}

export async function readFirstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('The process ended without output.')
}
