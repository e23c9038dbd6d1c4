import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const parley = fileURLToPath(new URL('../../apps/cli/bin/parley.mjs', import.meta.url))

export interface Ready {
  readonly url: string
  readonly token: string
  readonly voiceUrl: string
}

/** Where a key is set, speech is loaded at the first word and not at the start, which most tests have no use for. */
export const VOICE_KEY = 'sk_made_up'

export interface RunningParley {
  readonly ready: Ready
  readonly pid: number
  /** All that it printed so far. */
  readonly output: () => string
  /** Resolves with the exit code once it is gone. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** An empty home for one test, with nothing of it left running or lying about afterwards. */
export async function temporaryHome(): Promise<{ home: string; remove(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'parley-home-'))
  await writeFile(join(home, 'voice-key'), VOICE_KEY, { mode: 0o600 })
  return {
    home,
    async remove() {
      for (const { pid } of processesOf(home)) process.kill(pid, 'SIGKILL')
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

const environmentOf = (
  home: string,
  { port = 0, demo = false, databaseUrl }: Start = {},
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

interface Start {
  readonly program?: string
  /** Any that is free where absent. */
  readonly port?: number
  /** Whether it learns the demo, which takes long beside what is tested. */
  readonly demo?: boolean
  /** A Postgres of its own where absent. */
  readonly databaseUrl?: string
}

/** `parley up` on that home, once it is ready. */
export async function startParley(home: string, start: Start = {}): Promise<RunningParley> {
  const child = spawn(process.execPath, [start.program ?? parley, 'up'], {
    env: environmentOf(home, start),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ready = await new Promise<Ready>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk.toString()
      const line = /^ready (\{.*\})$/m.exec(output)?.[1]
      if (line) resolve(JSON.parse(line) as Ready)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`parley up ended with ${code}:\n${output}`)))
  })
  return { ready, pid: child.pid ?? 0, output: () => output, stop: (signal) => stop(child, signal) }
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What a command prints and how it ends. */
export const runParley = (home: string, ...args: readonly string[]): Promise<Ended> =>
  runProgram(parley, home, ...args)

/** The same of another program than that of the sources. */
export function runProgram(program: string, home: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: environmentOf(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

/** The processes that name this folder in their command line. */
export function processesOf(home: string): readonly { pid: number; command: string }[] {
  return execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(home))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+\s+/, '') }))
}

function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill(signal)
  })
}
