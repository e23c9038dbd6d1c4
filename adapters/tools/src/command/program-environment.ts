import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { isWithinFolder } from '../fs/paths.ts'

/** The environment of our own process. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/**
 * The folders to search for programs: the person's PATH, then the usual ones. None is in the project, whose files are
 * untrusted, and none is writable by everyone.
 */
export async function listProgramFolders(
  environment: EnvironmentVariables,
  project: string,
): Promise<readonly string[]> {
  const named = [...(environment['PATH'] ?? '').split(delimiter), dirname(process.execPath), ...USUAL_FOLDERS]
  const safe = new Set<string>()
  for (const folder of named) {
    const real = await findSafeFolder(folder)
    if (real !== undefined && !isWithinFolder(real, project)) safe.add(real)
  }
  return [...safe]
}

const USUAL_FOLDERS = [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  '/opt/homebrew/bin',
]

const WRITABLE_BY_ALL = 0o002

async function findSafeFolder(folder: string): Promise<string | undefined> {
  if (!isAbsolute(folder)) return undefined
  try {
    const real = await realpath(folder)
    const stats = await stat(real)
    const isSafe = stats.isDirectory() && (stats.mode & WRITABLE_BY_ALL) === 0 && !real.includes(delimiter)
    return isSafe ? real : undefined
  } catch {
    return undefined
  }
}

/** Finds a program's file by name in these folders, or by its path relative to the working folder. */
export async function findExecutable(
  program: string,
  { folders, workingDir }: { readonly folders: readonly string[]; readonly workingDir: string },
): Promise<string | undefined> {
  const candidates = program.includes('/')
    ? [isAbsolute(program) ? program : join(workingDir, program)]
    : folders.map((folder) => join(folder, program))
  for (const candidate of candidates) if (await isExecutable(candidate)) return candidate
  return undefined
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** The variables that a started program gets from our own process. */
const PASSED_VARIABLES = ['HOME', 'USER', 'LOGNAME', 'LANG', 'TMPDIR'] as const

const DEFAULT_VALUES = { LANG: 'C.UTF-8', TMPDIR: '/tmp' }
const FIXED_VALUES = { LC_ALL: 'C.UTF-8', TERM: 'dumb', CI: '1', NO_COLOR: '1' }

/** The names of all variables of a started program. */
export const PROGRAM_VARIABLES: readonly string[] = [
  'PATH',
  ...PASSED_VARIABLES,
  ...Object.keys(FIXED_VALUES),
]

/** A started program gets neither keys nor variables that load code, such as NODE_OPTIONS or LD_PRELOAD. */
export function buildEnvironment(
  environment: EnvironmentVariables,
  folders: readonly string[],
): Readonly<Record<string, string>> {
  const passed = PASSED_VARIABLES.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    PATH: folders.join(delimiter),
    ...DEFAULT_VALUES,
    ...Object.fromEntries(passed),
    ...FIXED_VALUES,
  }
}
