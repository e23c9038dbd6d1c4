import { readFile, stat } from 'node:fs/promises'
import { type Launcher, run } from './launcher.ts'
import { codeOf, unavailable } from './unavailable.ts'

export interface OsUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** Whom the server must run as and whose its files must be; none if it can simply run as we do. */
export async function serverUser(data: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const user = (await ownerOf(data)) ?? (await knownUser('postgres')) ?? (await knownUser('nobody'))
  if (user) return user
  throw unavailable(
    'Postgres does not run as root, and there is no user "postgres" or "nobody" to run it as. Run Parley as a normal user, or set DATABASE_URL to a Postgres server of your own.',
  )
}

/** The first way to become that user in which it can reach the program and the folder. */
export async function launcherFor(
  user: OsUser | undefined,
  program: string,
  folder: string,
): Promise<Launcher> {
  if (!user) return { command: [] }
  let refusal = ''
  for (const launcher of waysToBecome(user)) {
    const trial = await run(launcher, '/bin/sh', ['-c', 'cd "$1" && "$0" --version', program, folder])
    if (trial.code === 0) return launcher
    refusal = trial.output
  }
  throw unavailable(
    `Postgres does not run as root, and the user "${user.name}" cannot reach ${folder} or ${program} (${refusal.trim()}). Run Parley as a normal user, or put both PARLEY_HOME and Parley itself in folders that "${user.name}" may enter, or set DATABASE_URL to a Postgres server of your own.`,
  )
}

// Folders of mode 0700 above ours bar the way, unless the server may pass all folders. Docker keeps only the second.
const PASSAGES = ['dac_read_search', 'dac_override']

function waysToBecome({ uid, gid }: OsUser): readonly Launcher[] {
  const become = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  return [
    { command: [], user: { uid, gid } },
    ...PASSAGES.map((capability) => ({
      // Without this bit access(2), by which initdb looks for postgres, leaves the capability out.
      command: [...become, '--securebits=+no_setuid_fixup', ...grant(capability), '--'],
    })),
  ]
}

const grant = (capability: string) => [`--inh-caps=-all,+${capability}`, `--ambient-caps=-all,+${capability}`]

async function ownerOf(data: string): Promise<OsUser | undefined> {
  try {
    const { uid, gid } = await stat(data)
    return uid === 0 ? undefined : { name: String(uid), uid, gid }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function knownUser(wanted: string): Promise<OsUser | undefined> {
  for (const line of (await readFile('/etc/passwd', 'utf8')).split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name === wanted) return { name, uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}
