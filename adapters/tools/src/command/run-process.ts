import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { waitUnlessAborted } from '@parley/engine'
import { finishesWithin } from '../finishes-within.ts'
import { MARK_VARIABLE, endProcesses, guardTree } from './process-tree.ts'

export interface ProcessRequest {
  readonly file: string
  /** The name in the command, which some programs check. */
  readonly name: string
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export interface ProcessEnd {
  readonly kind: 'by-itself' | 'timed-out' | 'cancelled'
  readonly exitCode: number | null
  readonly signal: string | null
  /** Both outputs, in order of arrival. */
  readonly output: string
}

/** How long child processes may keep writing after the program has ended. */
const LINGER_MS = 500

/** Runs a program to its end; throws if it cannot be started. Leaves no child process behind. */
export async function runProcess(request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd> {
  signal.throwIfAborted()
  const mark = randomBytes(16).toString('hex')
  const guard = guardTree(mark)
  const child = spawn(request.file, request.args, {
    argv0: request.name,
    cwd: request.folder,
    env: { ...request.environment, [MARK_VARIABLE]: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    shell: false,
  })
  const exit = once(child, 'exit')
  const output = createBoundedOutput()
  const closed = Promise.all([collectText(child.stdout, output.add), collectText(child.stderr, output.add)])
  const { pid } = child
  if (pid === undefined) {
    guard.release()
    throw await exit.then(() => new Error('It did not start.'), createNotStartedError(request))
  }

  guard.setLeader(pid)
  const kind = await waitForEnd(exit, request.timeoutMs, signal)
  if (kind === 'by-itself') await finishesWithin(closed, LINGER_MS)
  await endProcesses({ leader: pid, mark })
  guard.release()
  // A process of another user, as with sudo, cannot be stopped; the call ends anyway.
  await finishesWithin(exit, LINGER_MS)
  if (!(await finishesWithin(closed, LINGER_MS))) releaseChild(child)
  return { kind, exitCode: child.exitCode, signal: child.signalCode, output: output.text() }
}

const createNotStartedError =
  ({ name }: ProcessRequest) =>
  (failure: unknown): Error =>
    new Error(
      `${name} could not be started: the file, its folder or its interpreter is missing or not executable.`,
      { cause: failure },
    )

async function waitForEnd(
  exit: Promise<unknown>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProcessEnd['kind']> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    await waitUnlessAborted(exit, AbortSignal.any([signal, timeout]))
    return 'by-itself'
  } catch (failure) {
    if (signal.aborted) return 'cancelled'
    if (timeout.aborted) return 'timed-out'
    throw failure
  }
}

/** Each output has its own decoder, since a character may arrive in two chunks. */
async function collectText(stream: Readable, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  stream.on('data', (bytes: Buffer) => add(decoder.decode(bytes, { stream: true })))
  stream.on('error', () => stream.destroy())
  await once(stream, 'close').catch(() => undefined)
  add(decoder.decode())
}

function releaseChild(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
}

/** The kept length of the output's beginning, and of its end. */
const MAX_KEPT = 1_000_000

interface BoundedOutput {
  readonly add: (text: string) => void
  /** The output as plain text. A note replaces a cut in the middle. */
  readonly text: () => string
}

export function createBoundedOutput(most = MAX_KEPT): BoundedOutput {
  let head = ''
  let tail = ''
  let omitted = 0

  return {
    add(text) {
      const room = most - head.length
      head += text.slice(0, room)
      tail += text.slice(room)
      // Cut only now and then, so many small chunks cost little.
      if (tail.length > 2 * most) cut()
    },
    text() {
      if (tail.length > most) cut()
      if (omitted === 0) return toPlainText(head + tail)
      return `${toPlainText(head)}\n[${omitted} characters of the output left out here]\n${toPlainText(tail)}`
    },
  }

  function cut(): void {
    omitted += tail.length - most
    tail = tail.slice(-most)
  }
}

/** Without colours and cursor controls. */
const toPlainText = (text: string): string =>
  stripVTControlCharacters(text.toWellFormed())
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
