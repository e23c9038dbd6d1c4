import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const parley = fileURLToPath(new URL('../../apps/cli/bin/parley.mjs', import.meta.url))

export interface ParleyAddress {
  readonly url: string
  readonly token: string
  readonly voiceUrl: string
}

/** With a key that is already set, speech models load at the first call, not at the start. */
export const VOICE_KEY = 'sk_made_up'

export interface RunningParley {
  readonly ready: ParleyAddress
  readonly pid: number
  /** Everything printed so far. */
  readonly output: () => string
  /** Resolves with the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Creates an empty home for one test. `remove` also kills its processes. */
export async function createTemporaryHome(): Promise<{ home: string; remove(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'parley-home-'))
  await writeFile(join(home, 'voice-key'), VOICE_KEY, { mode: 0o600 })
  return {
    home,
    async remove() {
      for (const { pid } of findProcesses(home)) process.kill(pid, 'SIGKILL')
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

const buildEnvironment = (
  home: string,
  { port = 0, demo = false, databaseUrl }: StartOptions = {},
): NodeJS.ProcessEnv => {
  const ours = /^(DATABASE_URL|PARLEY_OWNER_TOKEN|PARLEY_HISTORY_KEY|ELEVENLABS_.*)$/
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
  const ports = { PARLEY_PORT: String(port), PARLEY_VOICE_PORT: '0' }
  return {
    ...env,
    ...ports,
    PARLEY_DEMO: demo ? '1' : '0',
    PARLEY_HOME: home,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
}

interface StartOptions {
  readonly program?: string
  /** Default: a free port. */
  readonly port?: number
  /** Whether it imports the demo, which takes long. Default: no. */
  readonly demo?: boolean
  /** Default: its own Postgres. */
  readonly databaseUrl?: string
}

/** Starts `parley up` with this home and waits until it is ready. */
export async function startParley(home: string, start: StartOptions = {}): Promise<RunningParley> {
  const child = spawn(process.execPath, [start.program ?? parley, 'up'], {
    env: buildEnvironment(home, start),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ready = await new Promise<ParleyAddress>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk.toString()
      const line = /^ready (\{.*\})$/m.exec(output)?.[1]
      if (line) resolve(JSON.parse(line) as ParleyAddress)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`parley up ended with ${code}:\n${output}`)))
  })
  return { ready, pid: child.pid ?? 0, output: () => output, stop: (signal) => stopChild(child, signal) }
}

interface ProgramResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of the sources to its end. */
export const runParley = (home: string, ...args: readonly string[]): Promise<ProgramResult> =>
  runProgram(parley, home, ...args)

/** Runs a command of another program to its end. */
export function runProgram(
  program: string,
  home: string,
  ...args: readonly string[]
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [program, ...args], {
    env: buildEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

/** Finds the processes with this folder in their command line. */
export function findProcesses(home: string): readonly { pid: number; command: string }[] {
  return execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(home))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+\s+/, '') }))
}

function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill(signal)
  })
}
