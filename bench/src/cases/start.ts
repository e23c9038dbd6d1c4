import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../medians.ts'
import type { Bench, BenchCase } from './bench-case.ts'
import { openTerminal, type BenchTerminal } from './terminal.ts'

const STARTS = 3

/** Beginning of the prompt of `parley chat`. */
const PROMPT = /› /

export const start: BenchCase = {
  name: 'start',
  what: '`parley --help`, and `parley chat` to its first prompt, both to `node -e 0`',
  on: 'no store',
  async measure(bench) {
    const program = await findProgram(bench)
    const surroundings = await createProgramOptions(bench.folder)
    const help = () => runToEnd([program, '--help'], surroundings)
    const node = () => runToEnd(['-e', '0'], surroundings)
    await using terminal = await openTerminal()
    if (!terminal) {
      bench.note('`parley chat` was not measured: it needs a terminal, and the command `script` is missing.')
      const times = await bench.medians({ help: createMedianMeasure(help), node: createMedianMeasure(node) })
      return [toRow('start --help', times.help, times.node, 4)]
    }
    const chat = () => runToPrompt([program, 'chat'], surroundings, terminal)
    const times = await bench.medians({
      help: createMedianMeasure(help),
      node: createMedianMeasure(node),
      chat: createMedianMeasure(chat),
    })
    return [toRow('start --help', times.help, times.node, 4), toRow('start chat', times.chat, times.node, 8)]
  },
}

const toRow = (name: string, ours: number, floor: number, atMost: number) =>
  ({ case: name, unit: 'ms', ours, floor, target: { atMost } }) as const

/** Finds the built bundle, or else the sources. */
async function findProgram({ note }: Bench): Promise<string> {
  const bundle = fileURLToPath(new URL('../../../apps/cli/dist/parley.mjs', import.meta.url))
  const built = await stat(bundle).catch(() => undefined)
  if (built) {
    note(`\`parley\` was started from the bundle of ${built.mtime.toISOString()}.`)
    return bundle
  }
  note('`parley` was started from its sources, because there is no bundle. Run `npm run build` to create it.')
  return fileURLToPath(new URL('../../../apps/cli/bin/parley.mjs', import.meta.url))
}

interface ProgramOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Milliseconds after which a hanging program is killed. */
  readonly timeout: number
}

async function createProgramOptions(folder: string): Promise<ProgramOptions> {
  const home = join(folder, 'start')
  await mkdir(home)
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    PARLEY_HOME: home,
    PARLEY_HISTORY_KEY: '5a'.repeat(32),
    TERM: 'xterm',
  }
  return { cwd: home, env, timeout: 60_000 }
}

const createMedianMeasure = (startOnce: () => Promise<number>) => async () => {
  const times: number[] = []
  for (let started = 0; started < STARTS; started += 1) times.push(await startOnce())
  return median(times)
}

async function runToEnd(args: readonly string[], surroundings: ProgramOptions): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { ...surroundings, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.resume()
  const [code] = await once(child, 'exit')
  const spent = performance.now() - began
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${String(code)}.`)
  return spent
}

async function runToPrompt(
  args: readonly string[],
  surroundings: ProgramOptions,
  terminal: BenchTerminal,
): Promise<number> {
  const prompted = terminal.shows(PROMPT)
  const { file } = terminal
  const began = performance.now()
  const child = spawn(process.execPath, args, { ...surroundings, stdio: [file, file, file] })
  const ended = once(child, 'exit').then(() => undefined)
  const shownAt = await Promise.race([prompted, ended])
  if (shownAt === undefined) throw new Error(`node ${args.join(' ')} ended before its prompt.`)
  terminal.type(END_OF_INPUT)
  await ended
  return shownAt - began
}

const END_OF_INPUT = '\x04'
