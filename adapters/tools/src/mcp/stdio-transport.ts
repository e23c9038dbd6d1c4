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
import { McpFailure, type McpLimits } from './limits-and-failures.ts'
import { waitAtMost } from '../wait-at-most.ts'

export interface StdioTransport extends Transport {
  /** After the end: the reason, and the last lines of standard error. */
  readonly readLastWords: () => string
  /** Kills the program at once. */
  readonly kill: () => void
}

/** Starts a program and talks to it over its pipes; closing the connection stops it and its child processes. */
export function openStdioTransport(
  { file, args, folder, environment }: ProgramStart,
  limits: Pick<McpLimits, 'messageBytes' | 'unrequestedBytes' | 'unrequestedMessages' | 'endMs'>,
): StdioTransport {
  const mark = randomBytes(16).toString('hex')
  const kept = guardTree(mark)
  // Detached: it leads a process group that can be stopped as a whole.
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...environment, [MARK_VARIABLE]: mark },
    stdio: 'pipe',
    detached: true,
  })
  if (child.pid !== undefined) kept.setLeader(child.pid)
  const errors = keepTail(child.stderr)
  let why = ''
  let bytes = 0
  let messages = 0
  let finishing: Promise<void> | undefined
  let isClosed = false

  const ended = new Promise<void>((resolve) => {
    child.once('error', (failure) => {
      why ||= `It could not be started: ${failure.message}`
      resolve()
    })
    child.once('exit', (code, signal) => {
      why ||= signal ? `Its program was ended by ${signal}.` : `Its program ended with the exit code ${code}.`
      resolve()
    })
  })

  void ended.then(finish)
  // The exit event reports a program's end, so pipe errors are ignored.
  for (const pipe of child.stdio) pipe?.on('error', () => {})

  const read = splitLines(limits.messageBytes, (line) => {
    messages += 1
    if (messages > limits.unrequestedMessages)
      return breakOff(`It sent more than ${limits.unrequestedMessages} messages unasked.`)
    const message = parseMessage(line)
    if (message && !isClosed) transport.onmessage?.(message)
  })

  const transport: StdioTransport = {
    async start() {
      child.stdout.on('data', listen)
    },

    async send(message) {
      if (isClosed || !child.stdin.writable) throw new Error('The connection is closed.')
      if (child.stdin.writableLength > limits.messageBytes) breakOff('It does not read its input.')
      if (isRequest(message)) bytes = messages = 0
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },

    async close() {
      child.stdin.end()
      await waitAtMost(ended, limits.endMs)
      await finish()
    },

    kill() {
      if (child.pid === undefined || isClosed) return
      why ||= 'It was ended.'
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended already.
      }
    },

    readLastWords: () => (why === '' ? '' : `${why}\n${errors()}`),
  }
  return transport

  function listen(chunk: Buffer): void {
    bytes += chunk.length
    if (bytes > limits.unrequestedBytes)
      return breakOff(`It sent more than ${limits.unrequestedBytes} bytes unasked.`)
    try {
      return read(chunk)
    } catch {
      return breakOff(`It sent a message of more than ${limits.messageBytes} bytes.`)
    }
  }

  function breakOff(reason: string): void {
    why ||= reason
    child.stdout.destroy()
    transport.kill()
  }

  function finish(): Promise<void> {
    finishing ??= (async () => {
      // Stopping the remaining processes closes the pipes; their content is still read.
      if (child.pid !== undefined) await endProcesses({ leader: child.pid, mark })
      kept.release()
      if (!child.stdout.closed) await waitAtMost(once(child.stdout, 'close'), limits.endMs)
      child.stdout.destroy()
      child.stderr.destroy()
      isClosed = true
      transport.onclose?.()
    })()
    return finishing
  }
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
  if (session === undefined) throw new McpFailure(`The working folder ${workingDir} does not exist.`)
  // Programs such as npx prefer files in their start folder over installed ones.
  const folder = isOwn ? await openServerFolder(server, home) : session
  const folders = await listProgramFolders(environment, await findProject(session))
  const file = await findExecutable(command, { folders, workingDir: folder })
  if (file === undefined) throw new McpFailure(describeNotFound(command, folder))
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
  if (!/^[a-z0-9-]{1,64}$/.test(server)) throw new McpFailure(`"${server}" is not a valid folder name.`)
  const folder = join(home, 'mcp', server)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return realpath(folder)
}

const describeNotFound = (command: string, folder: string): string =>
  command.includes('/')
    ? `Its command ${command} is not an executable file (searched from ${folder}). Use its full path and check its permissions.`
    : `Its command ${command} was not found on the PATH (folders inside the project are left out). ` +
      'Install it, or use its full path.'
