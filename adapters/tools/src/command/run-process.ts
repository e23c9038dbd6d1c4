import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { MARK, endProcesses, keepTree } from './process-tree.ts'

export interface ProcessRequest {
  readonly file: string
  /** The name that the program was called by, which some look at. */
  readonly name: string
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export interface ProcessEnd {
  readonly how: 'by-itself' | 'timed-out' | 'cancelled'
  readonly exitCode: number | null
  readonly signal: string | null
  /** What it wrote to both of its outputs, in the order in which it came. */
  readonly output: string
}

/** How long those who still hold the output may go on writing once the program itself has ended. */
const LINGER_MS = 500

/** Runs a program to its end; throws where it cannot be started. Nothing that it started is left behind. */
export async function runProcess(request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd> {
  signal.throwIfAborted()
  const mark = randomBytes(16).toString('hex')
  const kept = keepTree(mark)
  const child = spawn(request.file, request.args, {
    argv0: request.name,
    cwd: request.folder,
    env: { ...request.environment, [MARK]: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    shell: false,
  })
  const exit = once(child, 'exit')
  const output = boundedOutput()
  const closed = Promise.all([collect(child.stdout, output.add), collect(child.stderr, output.add)])
  const { pid } = child
  if (pid === undefined) {
    kept.letGo()
    throw await exit.then(() => new Error('It did not start.'), notStarted(request))
  }

  kept.leader(pid)
  const how = await endOf(exit, request.timeoutMs, signal)
  if (how === 'by-itself') await settled(closed)
  await endProcesses({ leader: pid, mark })
  kept.letGo()
  // Who runs as another user, as with sudo, cannot be ended from here; the call ends all the same.
  await settled(exit)
  if ((await settled(closed)) === 'late') release(child)
  return { how, exitCode: child.exitCode, signal: child.signalCode, output: output.text() }
}

const notStarted =
  ({ name }: ProcessRequest) =>
  (failure: unknown): Error =>
    new Error(
      `${name} could not be started: the file, its folder, or the program that its first line names is gone or may not be run.`,
      { cause: failure },
    )

async function endOf(
  exit: Promise<unknown>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProcessEnd['how']> {
  const stop = new AbortController()
  const cancelled = Promise.withResolvers<'cancelled'>()
  const cancel = () => cancelled.resolve('cancelled')
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel)
  try {
    return await Promise.race([
      exit.then(() => 'by-itself' as const),
      wait(timeoutMs, 'timed-out' as const, { signal: stop.signal }).catch(() => 'timed-out' as const),
      cancelled.promise,
    ])
  } finally {
    stop.abort()
    signal.removeEventListener('abort', cancel)
  }
}

const settled = (closed: Promise<unknown>): Promise<'closed' | 'late'> =>
  Promise.race([closed.then(() => 'closed' as const), wait(LINGER_MS, 'late' as const, { ref: false })])

/** Each output is decoded by itself, since a character may come in two pieces. */
async function collect(stream: Readable, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  stream.on('data', (bytes: Buffer) => add(decoder.decode(bytes, { stream: true })))
  stream.on('error', () => stream.destroy())
  await once(stream, 'close').catch(() => undefined)
  add(decoder.decode())
}

function release(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
}

/** What is kept in memory of a program's output: as much of its beginning and as much of its end. */
const MOST_KEPT = 1_000_000

interface BoundedOutput {
  readonly add: (text: string) => void
  /** What came, as plain text; says how much was left out in the middle. */
  readonly text: () => string
}

export function boundedOutput(most = MOST_KEPT): BoundedOutput {
  let head = ''
  let tail = ''
  let leftOut = 0

  return {
    add(text) {
      const room = most - head.length
      head += text.slice(0, room)
      tail += text.slice(room)
      // Cut now and then only, so that much output in small pieces costs little.
      if (tail.length > 2 * most) cut()
    },
    text() {
      if (tail.length > most) cut()
      if (leftOut === 0) return plain(head + tail)
      return `${plain(head)}\n[${leftOut} characters of the output left out here]\n${plain(tail)}`
    },
  }

  function cut(): void {
    leftOut += tail.length - most
    tail = tail.slice(-most)
  }
}

/** Without colours and whatever else moves a terminal's cursor. */
const plain = (text: string): string =>
  stripVTControlCharacters(text.toWellFormed())
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
