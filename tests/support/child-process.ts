import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Runs a script in its own process. The script gets the input from `readInput`. */
export function startScript(script: URL, input: object) {
  return spawn(process.execPath, [fileURLToPath(script)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, [INPUT]: JSON.stringify(input) },
  })
}

const INPUT = 'PARLEY_TEST_INPUT'

/** The input of the script that runs in this process. */
export const readInput = (): unknown => JSON.parse(process.env[INPUT] ?? '')

/** Waits for the first line that a script prints: it is ready. */
export async function readFirstLine({ stdout }: ReturnType<typeof startScript>): Promise<string> {
  const [line] = (await once(createInterface(stdout), 'line')) as [string]
  return line
}

/** Kills a process and waits until all of its output was read. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.stdout?.resume()
  child.kill('SIGKILL')
  await closed
}
