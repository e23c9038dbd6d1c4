import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { measureGrapheme, splitGraphemes } from '../render/text.ts'
import { KEY, runMainHere } from './parley-process.ts'

const BOOT_FILE = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url))
const PATIENCE_MS = 60_000

interface TerminalOptions {
  readonly home: string
  readonly term?: string
  /** The working folder (default: the data folder). */
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** The real program in a terminal; by default one without cursor movement. */
export function openTerminal(
  args: readonly string[],
  { home, term = 'dumb', folder = home, environment = {} }: TerminalOptions,
) {
  const command = [process.execPath, BOOT_FILE, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      HOME: home,
      PARLEY_HOME: home,
      PARLEY_HISTORY_KEY: KEY,
      TERM: term,
      SHELL: '/bin/sh',
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const until = watchScreen(child.stdout)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))

  return {
    until,
    /** Types a line and returns the output up to the next prompt. */
    async say(line: string, next = NEXT_PROMPT): Promise<string> {
      child.stdin.write(`${line}\r`)
      return until(next)
    },
    async leave(): Promise<number | null> {
      child.stdin.write('/quit\r')
      return ended
    },
    /** Closes the terminal, like closing its window. */
    async breakOff(): Promise<void> {
      child.kill('SIGKILL')
      await ended
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

/** The program in this process with a simulated line terminal. */
export function openTerminalHere(
  args: readonly string[],
  { environment, ...options }: Omit<TerminalOptions, 'term'>,
) {
  const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const until = watchScreen(screen)
  const shown = { ...options, environment: { TERM: 'dumb', ...environment } }
  const ended = runMainHere(args, shown, { stdin, stdout: screen, stderr: screen })
  ended.catch(() => undefined)

  const type = (line: string) => {
    screen.write(`${line}\n`)
    stdin.write(`${line}\n`)
  }
  return {
    until,
    async say(line: string, next = NEXT_PROMPT): Promise<string> {
      type(line)
      return until(next)
    },
    async leave(): Promise<number> {
      type('/quit')
      return ended
    },
    async [Symbol.asyncDispose]() {
      stdin.end()
      await ended
      if (!screen.closed) await once(screen, 'close')
    },
  }
}

const NEXT_PROMPT = /\n> $/

/** Returns the output since the last call, up to the pattern. */
function watchScreen(screen: Readable): (pattern: RegExp) => Promise<string> {
  let shown = ''
  let read = 0
  let look: (() => void) | undefined
  screen.on('data', (chunk: Buffer) => {
    shown += chunk.toString().replaceAll('\r', '')
    look?.()
  })
  return (pattern) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no ${pattern} in: ${shown.slice(read)}`)), PATIENCE_MS)
      look = () => {
        const found = pattern.exec(shown.slice(read))
        if (!found) return
        clearTimeout(late)
        look = undefined
        const from = read
        read += found.index + found[0].length
        resolve(shown.slice(from, read))
      }
      look()
    })
}

/** Simulates a terminal that knows only our escape codes: its lines and cursor. */
export function screenAfter(written: string) {
  let lines: string[][] = [[]]
  let row = 0
  let column = 0
  const lineAt = (place: number) => (lines[place] ??= [])
  for (const [token, count, code] of written.matchAll(TOKEN)) {
    const times = Number(count === '' || count === undefined ? 1 : count)
    if (code === 'A') row = Math.max(0, row - times)
    else if (code === 'B') row += times
    else if (code === 'C') column += times
    else if (code === 'H') [row, column] = [0, 0]
    else if (code === 'K') lineAt(row).length = Math.min(lineAt(row).length, column)
    else if (code === 'J' && count === '2') lines = []
    else if (code === 'J') {
      lines.length = row + 1
      lineAt(row).length = Math.min(lineAt(row).length, column)
    } else if (token === '\r') column = 0
    else if (token === '\n') {
      row += 1
      lineAt(row)
    } else if (!token.startsWith('\x1b')) {
      for (const grapheme of splitGraphemes(token)) {
        const line = lineAt(row)
        while (line.length < column) line.push(' ')
        const wide = measureGrapheme(grapheme)
        line.splice(column, wide, grapheme, ...Array.from({ length: wide - 1 }, () => ''))
        column += wide
      }
    }
  }
  return { lines: Array.from(lines, (line) => (line ?? []).join('').trimEnd()), row, column }
}

// oxlint-disable-next-line no-control-regex -- what we write ourselves
const TOKEN = /\x1b\[(\d*)([ABCHJK])|\x1b\[\??[\d;]*[a-zA-Z]|\x1b\][^\x1b]*\x1b\\|[\r\n]|[^\x1b\r\n]+/g
