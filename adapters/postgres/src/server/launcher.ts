import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** How to start a program of Postgres: as another user, or behind a command that becomes that user. */
export interface Launcher {
  readonly command: readonly string[]
  readonly user?: { readonly uid: number; readonly gid: number }
}

// Our own environment may hold keys, which a database has no business with.
const ENVIRONMENT = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
}

export function launch(
  { command, user }: Launcher,
  program: string,
  args: readonly string[],
  options: { readonly stdio: StdioOptions; readonly detached?: boolean },
): ChildProcess {
  const [first = program, ...rest] = [...command, program, ...args]
  return spawn(first, rest, { ...options, ...user, cwd: '/', env: ENVIRONMENT })
}

/** Runs it to its end. That it could not even start is an outcome too. */
export async function run(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = launch(launcher, program, args, { stdio: 'pipe' })
  const ended = new Promise<{ code: number | null; failure?: Error }>((resolve) => {
    child.once('error', (failure) => resolve({ code: null, failure }))
    child.once('close', (code) => resolve({ code }))
  })
  // It may end without having read its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const [{ code, failure }, ...output] = await Promise.all([ended, read(child.stdout), read(child.stderr)])
  return { code, output: failure ? failure.message : output.join('') }
}

const read = async (stream: ChildProcess['stdout']) => (stream ? text(stream) : '')
