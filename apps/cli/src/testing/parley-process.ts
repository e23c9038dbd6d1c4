import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Io } from '../io.ts'
import { main } from '../main.ts'
import { HINT_SHOWN_FILE } from '../session/notes.ts'

export const KEY = '5'.repeat(64)

const BOOT_FILE = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url))

interface ParleyOptions {
  readonly home: string
  readonly input?: string | Uint8Array
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: string
  /** Options for Node. */
  readonly nodeOptions?: readonly string[]
}

interface ProcessResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A temporary data folder without the first-run hint. */
export async function createHome() {
  const at = await createFolder()
  await writeFile(join(at.home, HINT_SHOWN_FILE), '')
  return at
}

/** The same, empty. */
export async function createFolder() {
  const home = await mkdtemp(join(tmpdir(), 'parley-cli-'))
  return { home, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) }
}

let isRunning = false

/** Commands that run until a signal. */
const SERVERS = ['up', 'serve']

/** A server that fails to start leaves nothing behind, so it can run in this process. */
export const runRefusedStart = (args: readonly string[], options: ParleyOptions): Promise<ProcessResult> =>
  runHere(args, options)

/** Runs the real program to its end, in this process if possible, which is five times faster. */
export async function parley(args: readonly string[], options: ParleyOptions): Promise<ProcessResult> {
  if (!isRunning && !options.nodeOptions && !SERVERS.includes(args[0] ?? '')) return runHere(args, options)
  const child = startParley(args, options)
  child.stdin.end(options.input ?? '')
  return waitForEnd(child)
}

async function runHere(args: readonly string[], options: ParleyOptions): Promise<ProcessResult> {
  const stdin = new PassThrough()
  stdin.end(options.input ?? '')
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const written = Promise.all([readText(stdout), readText(stderr)])
  const code = await runMainHere(args, options, { stdin, stdout, stderr })
  const [said, told] = await written
  return { code, stdout: said, stderr: told }
}

interface Streams {
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly stderr: PassThrough
}

/** The program in this process; one at a time, since it changes the working folder. */
export async function runMainHere(
  args: readonly string[],
  options: ParleyOptions,
  streams: Streams,
): Promise<number> {
  if (isRunning) throw new Error('another one already runs in this process')
  isRunning = true
  const { home, folder = home } = options
  const before = process.cwd()
  process.chdir(folder)
  try {
    return await main(args, { ...streams, variables: createVariables(options) } as unknown as Io)
  } finally {
    for (const stream of [streams.stdout, streams.stderr]) stream.end()
    process.chdir(before)
    isRunning = false
  }
}

const createVariables = ({ home, environment }: ParleyOptions) => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  HOME: home,
  PARLEY_HOME: home,
  PARLEY_HISTORY_KEY: KEY,
  ...environment,
})

type ParleyProcess = ChildProcessByStdio<Writable, Readable, Readable>

export function startParley(args: readonly string[], options: ParleyOptions): ParleyProcess {
  const { home, folder = home, nodeOptions = [] } = options
  const child = spawn(process.execPath, [...nodeOptions, BOOT_FILE, ...args], {
    cwd: folder,
    env: createVariables(options),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // The program may end before it reads its input.
  child.stdin.on('error', () => undefined)
  return child
}

export async function waitForEnd(child: ParleyProcess): Promise<ProcessResult> {
  const [stdout, stderr, code] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ])
  return { code, stdout, stderr }
}

/** Reads until the output matches. */
export function readUntil(stream: Readable, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onEnd = () => reject(new Error(`it ended without ${pattern}: ${text}`))
    const onData = (chunk: Buffer) => {
      text += chunk.toString()
      if (!pattern.test(text)) return
      stream.off('data', onData)
      stream.off('end', onEnd)
      stream.pause()
      resolve(text)
    }
    stream.on('data', onData)
    stream.on('end', onEnd)
  })
}

export async function readText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
