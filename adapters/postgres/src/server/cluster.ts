import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Binaries, findBinaries } from './binaries.ts'
import type { Launcher } from './launcher.ts'
import { launcherFor, type OsUser, serverUser } from './os-user.ts'
import { readSecret } from './read-secret.ts'
import { codeOf } from './unavailable.ts'

/** Where our server lives and how its programs are run. */
export interface Cluster {
  /** Stands in the title of each of its processes. */
  readonly name: string
  readonly folder: string
  readonly data: string
  readonly log: string
  readonly passwordFile: string
  readonly password: string
  readonly user: OsUser | undefined
  readonly binaries: Binaries
  readonly launcher: Launcher
  /** What its server is started with in place of the usual. */
  readonly settings?: Readonly<Record<string, string>>
}

export async function openCluster(home: string, onNotice: (notice: string) => void): Promise<Cluster> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const folder = join(await realpath(home), 'postgres')
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  const binaries = findBinaries()
  const user = await serverUser(data)

  await mkdir(folder, { recursive: true, mode: 0o700 })
  // The folder stays root's own, so that its log and password cannot be swapped; the server only passes through.
  if (user) await chmod(folder, 0o711)
  return {
    name: `parley-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`,
    folder,
    data,
    log: join(folder, 'postgres.log'),
    passwordFile,
    password: await keepPassword(passwordFile, onNotice),
    user,
    binaries,
    launcher: await launcherFor(user, binaries.postgres, folder),
  }
}

// The file appears with its content in it, and once: of two processes that start together, both read the same.
async function keepPassword(path: string, onNotice: (notice: string) => void): Promise<string> {
  const kept = await readSecret(path, 'database password', onNotice)
  if (kept) return kept
  if (kept === '') await rm(path, { force: true })

  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
    await link(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return (await readFile(path, 'utf8')).trim()
}
