import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { SERVER_FOLDER, createRunFolder } from '../../testing/test-server.ts'
import { isPostmaster, findRunningPostmaster, sendSignal } from '../postmaster.ts'
import { type BundledPostgres, startBundledPostgres } from '../start-bundled-postgres.ts'

export const isRoot = process.getuid?.() === 0

/** A folder for a home. It is removed after the test, together with a server that was left there. */
export async function createFolder(mode = 0o700): Promise<string> {
  const folder = await mkdtemp(join(SERVER_FOLDER, `parley-test-${process.pid}-`))
  await chmod(folder, mode)
  onTestFinished(async () => {
    for (const home of [folder, join(folder, 'home')]) await endServer(join(home, 'postgres', 'data'))
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  return folder
}

/** A home whose server has run before and was stopped. A copy takes a tenth of the time of a new one. */
export async function createUsedHome(): Promise<string> {
  preparedHome ??= makeHome()
  const home = join(await createFolder(), 'home')
  await promisify(execFile)('cp', ['-a', await preparedHome, home])
  return home
}

let preparedHome: Promise<string> | undefined

/** It stays for all test files of this process. */
async function makeHome(): Promise<string> {
  const home = await createRunFolder('used-home-')
  const server = await startBundledPostgres({ home })
  await server.stop()
  return home
}

interface ChildStart {
  kill(): void
  readonly outcome: Promise<Partial<BundledPostgres> & { readonly message?: string }>
}

/** Starts it from a new process, which ends when the server is up, or when it is killed. */
export function startInChild(
  home: string,
  how: { uid?: number; through?: readonly string[] } = {},
): ChildStart {
  const [program, ...args] = [
    ...(how.through ?? []),
    process.execPath,
    '--input-type=module',
    '-e',
    SCRIPT,
    home,
  ]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(how.uid === undefined ? {} : { uid: how.uid, gid: how.uid }),
  })
  const outcome = text(child.stdout).then((output) => (output ? JSON.parse(output) : {}))
  return { kill: () => child.kill('SIGKILL'), outcome }
}

export async function runSql(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('The condition was not met within 20 s')
    await pause(5)
  }
}

const SCRIPT = `
  import { startBundledPostgres } from '${new URL('../start-bundled-postgres.ts', import.meta.url).href}'
  const said = await startBundledPostgres({ home: process.argv[1] }).catch(({ code, message }) => ({ code, message }))
  process.stdout.write(JSON.stringify(said))
`

async function endServer(data: string): Promise<void> {
  const left = await findRunningPostmaster(data)
  if (!left) return
  sendSignal(left.pid, 'SIGQUIT')
  await waitUntil(async () => !(await isPostmaster(left.pid, data)))
}
