import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import type { Readable } from 'node:stream'

/** A terminal controlled by the benchmark. */
export interface BenchTerminal extends AsyncDisposable {
  /** File descriptor for the input and output of a program. */
  readonly file: number
  /** Resolves with the time when the pattern next appears. */
  shows(pattern: RegExp): Promise<number>
  type(keys: string): void
}

/** Opens a terminal with `script` of util-linux. Undefined if the command is missing. */
export async function openTerminal(): Promise<BenchTerminal | undefined> {
  const holder = spawn('script', ['-qfc', 'tty && exec sleep 86400', '/dev/null'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(holder, 'close').catch(() => undefined)
  const said = await Promise.race([
    waitForOutput(holder.stdout, /\/dev\/\S+(?=\r?\n)/),
    ended.then(() => undefined),
  ])
  if (said === undefined) return undefined

  const file = openSync(said.match, constants.O_RDWR | constants.O_NOCTTY)
  return {
    file,
    shows: async (pattern) => (await waitForOutput(holder.stdout, pattern)).at,
    type: (keys) => holder.stdin.write(keys),
    async [Symbol.asyncDispose]() {
      closeSync(file)
      holder.kill()
      await ended
    },
  }
}

function waitForOutput(stdout: Readable, pattern: RegExp): Promise<{ match: string; at: number }> {
  return new Promise((resolve) => {
    let shown = ''
    const read = (chunk: Buffer) => {
      shown += chunk.toString()
      const [match] = pattern.exec(shown) ?? []
      if (match === undefined) return
      stdout.off('data', read)
      resolve({ match, at: performance.now() })
    }
    stdout.on('data', read)
  })
}
