import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { MARK_VARIABLE, endProcesses, guardTree } from '../command/process-tree.ts'
import {
  type EnvironmentVariables,
  buildEnvironment,
  findExecutable,
  listProgramFolders,
} from '../command/program-environment.ts'
import { findProject } from '../fs/paths.ts'
import { type FindSecret, fillSecrets } from '../tool-policy.ts'
import { McpError } from './mcp-error.ts'
import type { McpLimits } from './mcp-limits.ts'
import { finishesWithin } from '../finishes-within.ts'

export interface StdioTransport extends Transport {
  /** After the end: the reason, and the last lines of standard error. */
  readonly readExitReason: () => string
  /** Kills the program at once. */
  readonly kill: () => void
}

type StdioLimits = Pick<McpLimits, 'messageBytes' | 'unrequestedBytes' | 'unrequestedMessages' | 'endMs'>

/** Starts a program and talks to it over its pipes; closing the connection stops it and its child processes. */
export function openStdioTransport(start: ProgramStart, limits: StdioLimits): StdioTransport {
  const program = startProgram(start)
  const { child } = program
  const readErrors = keepTail(child.stderr)
  const ended = waitForEnd(program)
  let closing: Promise<void> | undefined
  const close = () => (closing ??= closeProgram(program, limits.endMs).then(() => transport.onclose?.()))
  void ended.then(close)

  const readLines = splitLines(limits.messageBytes, (line) => {
    program.unrequested.messages += 1
    if (program.unrequested.messages > limits.unrequestedMessages)
      return breakOff(program, `It sent more than ${limits.unrequestedMessages} messages unasked.`)
    const message = parseMessage(line)
    if (message && !program.isClosed) transport.onmessage?.(message)
  })

  const transport: StdioTransport = {
    async start() {
      child.stdout.on('data', (chunk: Buffer) => readOutput(program, chunk, limits, readLines))
    },

    async send(message) {
      if (program.isClosed || !child.stdin.writable) throw new Error('The connection is closed.')
      if (child.stdin.writableLength > limits.messageBytes) breakOff(program, 'It does not read its input.')
      if (isRequest(message)) program.unrequested = { bytes: 0, messages: 0 }
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },

    async close() {
      child.stdin.end()
      await finishesWithin(ended, limits.endMs)
      await close()
    },

    kill: () => killProgram(program),

    readExitReason: () => (program.endReason === '' ? '' : `${program.endReason}\n${readErrors()}`),
  }
  return transport
}

interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams
  readonly mark: string
  readonly tree: ReturnType<typeof guardTree>
  /** Sent since our last request. */
  unrequested: { bytes: number; messages: number }
  /** The first reason for its end; empty while it runs. */
  endReason: string
  isClosed: boolean
}

function startProgram({ file, args, folder, environment }: ProgramStart): RunningProgram {
  const mark = randomBytes(16).toString('hex')
  const tree = guardTree(mark)
  // Detached: it leads a process group that can be stopped as a whole.
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...environment, [MARK_VARIABLE]: mark },
    stdio: 'pipe',
    detached: true,
  })
  if (child.pid !== undefined) tree.setLeader(child.pid)
  // The exit event reports a program's end, so pipe errors are ignored.
  for (const pipe of child.stdio) pipe?.on('error', () => {})
  return { child, mark, tree, unrequested: { bytes: 0, messages: 0 }, endReason: '', isClosed: false }
}

const waitForEnd = (program: RunningProgram): Promise<void> =>
  new Promise((resolve) => {
    program.child.once('error', (failure) => {
      program.endReason ||= `It could not be started: ${failure.message}`
      resolve()
    })
    program.child.once('exit', (code, signal) => {
      program.endReason ||= signal
        ? `Its program was ended by ${signal}.`
        : `Its program ended with the exit code ${code}.`
      resolve()
    })
  })

function readOutput(
  program: RunningProgram,
  chunk: Buffer,
  limits: StdioLimits,
  readLines: (chunk: Buffer) => void,
): void {
  program.unrequested.bytes += chunk.length
  if (program.unrequested.bytes > limits.unrequestedBytes)
    return breakOff(program, `It sent more than ${limits.unrequestedBytes} bytes unasked.`)
  try {
    return readLines(chunk)
  } catch {
    return breakOff(program, `It sent a message of more than ${limits.messageBytes} bytes.`)
  }
}

function breakOff(program: RunningProgram, reason: string): void {
  program.endReason ||= reason
  program.child.stdout.destroy()
  killProgram(program)
}

function killProgram(program: RunningProgram): void {
  const { pid } = program.child
  if (pid === undefined || program.isClosed) return
  program.endReason ||= 'It was ended.'
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** Stops the processes that are left, and releases the pipes. */
async function closeProgram(program: RunningProgram, endMs: number): Promise<void> {
  const { child, mark, tree } = program
  // Stopping the remaining processes closes the pipes; their content is still read.
  if (child.pid !== undefined) await endProcesses({ leader: child.pid, mark })
  tree.release()
  if (!child.stdout.closed) await finishesWithin(once(child.stdout, 'close'), endMs)
  child.stdout.destroy()
  child.stderr.destroy()
  program.isClosed = true
}

const TAIL_LENGTH = 4_096

function keepTail(pipe: ChildProcessWithoutNullStreams['stderr']): () => string {
  let tail = Buffer.alloc(0)
  pipe.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL_LENGTH)
  })
  return () => tail.toString('utf8').trim()
}

/** Ignores lines that are not messages, since programs print other text too. */
function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const isRequest = (message: JSONRPCMessage): boolean => 'method' in message && 'id' in message

/** Joins chunks into lines; throws if a line gets too long. */
export function splitLines(longest: number, onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let length = 0

  const add = (part: Buffer) => {
    length += part.length
    if (length > longest) {
      parts = []
      throw new RangeError(`a message of more than ${longest} bytes`)
    }
    parts.push(part)
  }

  return (chunk) => {
    let rest = chunk
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      add(rest.subarray(0, end))
      const line = Buffer.concat(parts, length).toString('utf8')
      parts = []
      length = 0
      rest = rest.subarray(end + 1)
      onLine(line)
    }
    if (rest.length > 0) add(rest)
  }
}

const NEWLINE = 0x0a

interface ProgramStart {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  /** Complete: nothing else of our own environment is passed on. */
  readonly environment: Readonly<Record<string, string>>
}

export interface ProgramHost {
  /** The session's working folder. */
  readonly workingDir: string
  /** Parley's data folder. */
  readonly home: string
  readonly environment: EnvironmentVariables
  readonly findSecret: FindSecret
}

interface CommandServer {
  readonly name: string
  readonly isOwn: boolean
  readonly command: string
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** Prepares the start of a server program, with its own environment. */
export async function prepareProgram(
  { name: server, isOwn, command, args = [], env = {} }: CommandServer,
  { workingDir, home, environment, findSecret }: ProgramHost,
): Promise<ProgramStart> {
  const session = await realpath(workingDir).catch(() => undefined)
  if (session === undefined) throw new McpError(`The working folder ${workingDir} does not exist.`)
  // Programs such as npx prefer files in their start folder over installed ones.
  const folder = isOwn ? await openServerFolder(server, home) : session
  const folders = await listProgramFolders(environment, await findProject(session))
  const file = await findExecutable(command, { folders, workingDir: folder })
  if (file === undefined) throw new McpError(describeNotFound(command, folder))
  const own = Object.entries(env).map(([name, template]) => [name, fillSecrets(template, findSecret)])
  return {
    file,
    args,
    folder,
    environment: { ...buildEnvironment(environment, folders), ...Object.fromEntries(own) },
  }
}

/** A folder of ours, without files of others. */
async function openServerFolder(server: string, home: string): Promise<string> {
  if (!/^[a-z0-9-]{1,64}$/.test(server)) throw new McpError(`"${server}" is not a valid folder name.`)
  const folder = join(home, 'mcp', server)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return realpath(folder)
}

const describeNotFound = (command: string, folder: string): string =>
  command.includes('/')
    ? `Its command ${command} is not an executable file (searched from ${folder}). Use its full path and check its permissions.`
    : `Its command ${command} was not found on the PATH (folders inside the project are left out). ` +
      'Install it, or use its full path.'
