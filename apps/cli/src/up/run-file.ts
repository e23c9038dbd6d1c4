import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import type { Environment } from '../environment.ts'

const RunFile = z.object({
  pid: z.int().positive(),
  url: z.string().optional(),
  instanceId: z.string().optional(),
  voiceUrl: z.string().optional(),
  /** The public address for links, if set. */
  publicUrl: z.string().optional(),
})
export type RunningServer = z.infer<typeof RunFile>

export interface HomeClaim {
  readonly kind: 'claimed'
  announce(ready: Omit<RunningServer, 'pid'>): Promise<void>
  release(): Promise<void>
}

const FILE = 'run.json'

/** Claims the data folder for this process, or says who has it. The lock decides; the file only informs. */
export async function claimHome(
  home: string,
): Promise<HomeClaim | { kind: 'taken'; run: RunningServer | undefined }> {
  const path = join(home, FILE)
  const lock = await takeRunLock(home)
  if (!lock) return { kind: 'taken', run: await readRun(path) }
  const write = async (run: RunningServer) => {
    await writeFile(`${path}.new`, JSON.stringify(run), { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
  await write({ pid: process.pid })
  return {
    kind: 'claimed',
    announce: ({ url, instanceId, voiceUrl, publicUrl }) =>
      write({ pid: process.pid, url, instanceId, voiceUrl, publicUrl }),
    async release() {
      await rm(path, { force: true })
      lock.release()
    },
  }
}

async function takeRunLock(home: string) {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const { takeFileLock } = await import('@parley/history')
    return takeFileLock(join(home, 'run.lock'))
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new PlatformError(
      'config_invalid',
      {
        message: `The data folder ${home} cannot be written (${reason}).`,
        fix: 'Fix its permissions, or set PARLEY_HOME to another folder.',
      },
      { cause },
    )
  }
}

/** The server running on this data folder, if any. */
export async function findRunningServer(home: string): Promise<RunningServer | undefined> {
  const run = await readRun(join(home, FILE))
  if (!run || !isAlive(run.pid)) return undefined
  return run.url === undefined || (await hasInstanceId(run)) ? run : undefined
}

async function readRun(path: string): Promise<RunningServer | undefined> {
  try {
    return RunFile.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** The process id may belong to another program by now, so only the right response counts. */
async function hasInstanceId({ url, instanceId }: RunningServer): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: createRequestTimeout() })
    const health: unknown = await response.json()
    return z.object({ instanceId: z.literal(instanceId ?? '') }).safeParse(health).success
  } catch {
    return false
  }
}

/** Whether a process with this id exists, ours or another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (failure) {
    return failure instanceof Error && 'code' in failure && failure.code === 'EPERM'
  }
}

/** Timeout of one request to a local server: a busy one answers late, a stopped one refuses at once. */
export const createRequestTimeout = (): AbortSignal => AbortSignal.timeout(15_000)

/** A path with ~ for the home folder. */
export const shortenHome = (path: string): string =>
  path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path

/** A secret in the data folder, in a file that only its owner can read. */
interface StoredSecret {
  readonly file: string
  readonly what: string
  readonly make: () => string
}

export const OWNER_TOKEN: StoredSecret = {
  file: 'owner-token',
  what: 'owner token',
  make: () => `parley_${randomBytes(32).toString('base64url')}`,
}

export const VOICE_KEY: StoredSecret = {
  file: 'voice-key',
  what: 'voice key',
  make: () => `sk_${randomBytes(24).toString('hex')}`,
}

/** Proves that we started a conversation. */
export const BINDING_SECRET: StoredSecret = {
  file: 'binding-secret',
  what: 'binding secret',
  make: () => randomBytes(32).toString('hex'),
}

/** Sent by the voice provider with each tool call. */
export const TOOL_SECRET: StoredSecret = {
  file: 'tool-secret',
  what: 'tool secret',
  make: () => randomBytes(32).toString('hex'),
}

interface SecretPlace {
  readonly home: string
  /** Takes precedence over the stored one. */
  readonly set: string | undefined
  readonly onNotice: (notice: string) => void
}

/** The configured secret, else the one created at the first start. */
export async function ensureSecret(secret: StoredSecret, place: SecretPlace): Promise<string> {
  if (place.set) return place.set
  const { readSecret } = await import('@parley/postgres')
  const stored = await readSecret(join(place.home, secret.file), secret.what, place.onNotice)
  if (stored) return stored
  const made = secret.make()
  await mkdir(place.home, { recursive: true, mode: 0o700 })
  await writeFile(join(place.home, secret.file), `${made}\n`, { mode: 0o600 })
  return made
}

/** The owner's token, if the running server accepts it. */
export async function findOwnerToken(
  url: string,
  { home, ownerToken }: Environment,
): Promise<string | undefined> {
  const token = ownerToken ?? (await readOwnerToken(home))
  if (token === undefined) return undefined
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/v1/me`, { headers, signal: createRequestTimeout() }).catch(
    () => undefined,
  )
  return answer?.ok ? token : undefined
}

const readOwnerToken = async (home: string): Promise<string | undefined> =>
  (await readFile(join(home, OWNER_TOKEN.file), 'utf8').catch(() => undefined))?.trim()
