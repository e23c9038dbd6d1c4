import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { MARK, endProcesses, keepTree } from '../command/process-tree.ts'
import {
  type Environment,
  builtEnvironment,
  findExecutable,
  programFolders,
} from '../command/program-environment.ts'
import { findProject } from '../fs/paths.ts'
import { type SecretOf, fillSecrets } from '../tool-policy.ts'
import { McpFailure, type McpLimits, withinMs } from './limits-and-failures.ts'

export interface StdioTransport extends Transport {
  /** Once it has ended: how, and what the program wrote last to its standard error. */
  readonly lastWords: () => string
  /** At once, without a word to the program. */
  readonly kill: () => void
}

/** Starts a program and speaks with it; when the connection ends, so does the program with all that it started. */
export function stdioTransport(
  { file, args, folder, environment }: ProgramStart,
  limits: Pick<McpLimits, 'messageBytes' | 'unaskedBytes' | 'unaskedMessages' | 'endMs'>,
): StdioTransport {
  const mark = randomBytes(16).toString('hex')
  const kept = keepTree(mark)
  // The leader of a process group, by which the whole of it can be ended.
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...environment, [MARK]: mark },
    stdio: 'pipe',
    detached: true,
  })
  if (child.pid !== undefined) kept.leader(child.pid)
  const errors = tailOf(child.stderr)
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
  // A program that is gone is known by its exit; that its pipes fail as well says nothing new.
  for (const pipe of child.stdio) pipe?.on('error', () => {})

  const read = splitLines(limits.messageBytes, (line) => {
    messages += 1
    if (messages > limits.unaskedMessages)
      return breakOff(`It sent more than ${limits.unaskedMessages} messages unasked.`)
    const message = parsed(line)
    if (message && !isClosed) transport.onmessage?.(message)
  })

  const transport: StdioTransport = {
    async start() {
      child.stdout.on('data', listen)
    },

    async send(message) {
      if (isClosed || !child.stdin.writable) throw new Error('The connection is closed.')
      if (child.stdin.writableLength > limits.messageBytes) breakOff('It does not read what it is sent.')
      if (isQuestion(message)) bytes = messages = 0
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },

    async close() {
      child.stdin.end()
      await withinMs(ended, limits.endMs)
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

    lastWords: () => (why === '' ? '' : `${why}\n${errors()}`),
  }
  return transport

  function listen(chunk: Buffer): void {
    bytes += chunk.length
    if (bytes > limits.unaskedBytes)
      return breakOff(`It sent more than ${limits.unaskedBytes} bytes unasked.`)
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
      // Whatever still runs of it goes, and with that its pipes close; what stands in them is read.
      if (child.pid !== undefined) await endProcesses({ leader: child.pid, mark })
      kept.letGo()
      if (!child.stdout.closed) await withinMs(once(child.stdout, 'close'), limits.endMs)
      child.stdout.destroy()
      child.stderr.destroy()
      isClosed = true
      transport.onclose?.()
    })()
    return finishing
  }
}

const LAST_WORDS = 4_096

function tailOf(pipe: ChildProcessWithoutNullStreams['stderr']): () => string {
  let tail = Buffer.alloc(0)
  pipe.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-LAST_WORDS)
  })
  return () => tail.toString('utf8').trim()
}

/** Programs print all kinds of things; what is not a message is passed over. */
function parsed(line: string): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const isQuestion = (message: JSONRPCMessage): boolean => 'method' in message && 'id' in message

/** Puts chunks of bytes together to lines; throws once a line grows longer than it may be. */
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
  /** All of it: nothing else of our own environment is passed on. */
  readonly environment: Readonly<Record<string, string>>
}

export interface Surroundings {
  /** Of the session. */
  readonly workingDir: string
  /** The folder of Parley's own data. */
  readonly home: string
  readonly environment: Environment
  readonly secretOf: SecretOf
}

interface CommandServer {
  readonly name: string
  readonly isOwn: boolean
  readonly command: string
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

/** What to start for a server that is a program, in an environment that is built for it. */
export async function programToStart(
  { name: server, isOwn, command, args = [], env = {} }: CommandServer,
  { workingDir, home, environment, secretOf }: Surroundings,
): Promise<ProgramStart> {
  const session = await realpath(workingDir).catch(() => undefined)
  if (session === undefined) throw new McpFailure(`The working folder ${workingDir} is not there.`)
  // Programs such as npx take what lies in the folder that they are started in before what the person installed.
  const folder = isOwn ? await folderFor(server, home) : session
  const folders = await programFolders(environment, await findProject(session))
  const file = await findExecutable(command, { folders, workingDir: folder })
  if (file === undefined) throw new McpFailure(notFound(command, folder))
  const own = Object.entries(env).map(([name, template]) => [name, fillSecrets(template, secretOf)])
  return {
    file,
    args,
    folder,
    environment: { ...builtEnvironment(environment, folders), ...Object.fromEntries(own) },
  }
}

/** A folder of ours, in which nobody else has put anything. */
async function folderFor(server: string, home: string): Promise<string> {
  if (!/^[a-z0-9-]{1,64}$/.test(server))
    throw new McpFailure(`"${server}" is no name that a folder may have.`)
  const folder = join(home, 'mcp', server)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return realpath(folder)
}

const notFound = (command: string, folder: string): string =>
  command.includes('/')
    ? `Its command ${command} is not a program that can be started, looked for from ${folder} on. Write it with its whole path, and see whether it may be run.`
    : `Its command ${command} was not found on the PATH (folders inside the project are left out). ` +
      'Install it, or write it with its whole path.'
