import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { PlatformError, type ProviderConfig } from '@parley/contracts'
import { parseConfig } from './read-config-file.ts'
import { scanToml } from './scan-toml.ts'

/** Appends a provider to the text of a config file; everything else is unchanged. */
export function addProvider(text: string, name: string, provider: ProviderConfig, file: string): string {
  const before = parseConfig(text, file)
  if (before.providers?.[name]) {
    throw new PlatformError('validation', {
      message: `The provider "${name}" already exists in ${file}.`,
      fix: `Choose another name, or remove it first: parley providers remove ${name}`,
    })
  }
  const { kind, base_url, api_key_env } = provider
  const lines = [
    `[providers.${name}]`,
    `kind = ${JSON.stringify(kind)}`,
    ...(base_url === undefined ? [] : [`base_url = ${JSON.stringify(base_url)}`]),
    ...(api_key_env === undefined ? [] : [`api_key_env = ${JSON.stringify(api_key_env)}`]),
    '',
  ]
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
  const changed = text + gap + lines.join(lineEnd)
  return requireEqual(changed, { ...before, providers: { ...before.providers, [name]: provider } }, file)
}

/** Removes a provider and its sub-tables; comments before the next table stay. */
export function removeProvider(text: string, name: string, file: string): string {
  const before = parseConfig(text, file)
  if (!before.providers?.[name]) {
    throw new PlatformError('validation', {
      message: `There is no provider "${name}" in ${file}.`,
      fix: '`parley providers` lists them and where they are set.',
    })
  }
  const tables = scanToml(text).filter(({ kind }) => kind === 'table')
  const starts = [...new Map(tables.map(({ start, path }) => [start, path]))]
  const changed = starts
    .map(([start, path], index) => ({ start, end: starts[index + 1]?.[0] ?? text.length, path }))
    .filter(({ path }) => path[0] === 'providers' && path[1] === name)
    .toReversed()
    .reduce(
      (rest, { start, end }) =>
        rest.slice(0, start) + findTrailingComments(rest.slice(start, end)) + rest.slice(end),
      text,
    )
  const { [name]: _, ...others } = before.providers
  return requireEqual(changed, { ...before, providers: others }, file)
}

/** The last lines of a table that belong to the next one: empty lines and comments. */
function findTrailingComments(table: string): string {
  const lines = table.split(/(?<=\n)/)
  const last = lines.findLastIndex((line) => !/^\s*(#.*)?\s*$/.test(line))
  const rest = lines.slice(last + 1)
  return rest.some((line) => line.trim() !== '') ? rest.join('') : ''
}

function requireEqual(text: string, expected: ReturnType<typeof parseConfig>, file: string): string {
  const actual = tryParse(text, file)
  if (actual && isDeepStrictEqual(fillProviders(actual), fillProviders(expected))) return text
  throw new PlatformError('validation', {
    message: `The providers in ${file} cannot be edited automatically. Nothing was changed.`,
    fix: 'Edit the file by hand. Parley changes only tables such as [providers.local].',
    file,
  })
}

function tryParse(text: string, file: string) {
  try {
    return parseConfig(text, file)
  } catch {
    return undefined
  }
}

const fillProviders = ({ providers = {}, ...rest }: ReturnType<typeof parseConfig>) => ({
  ...rest,
  providers,
})

/** Changes a file in the data folder, atomically and under a lock. Changes of one process take turns. */
export async function changeHomeFile(
  home: string,
  name: string,
  change: (text: string | undefined) => string,
): Promise<void> {
  const turn = (turns.get(home) ?? Promise.resolve()).then(() =>
    writeUnderLock(home, join(home, name), change),
  )
  const settled = turn.catch(() => {})
  turns.set(home, settled)
  try {
    await turn
  } finally {
    if (turns.get(home) === settled) turns.delete(home)
  }
}

/** The last change of each folder. Without turns, one of many callers might never get the lock. */
const turns = new Map<string, Promise<void>>()

async function writeUnderLock(
  home: string,
  path: string,
  change: (text: string | undefined) => string,
): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const lock = await takeLock(home, path)
    try {
      // Keep a symbolic link to the file.
      const target = await realpath(path).catch(() => path)
      const text = await readFile(target, 'utf8').catch(ignoreMissing)
      await replace(target, change(text))
    } finally {
      lock.release()
    }
  } catch (failure) {
    if (failure instanceof PlatformError || !(failure instanceof Error) || !('code' in failure)) throw failure
    throw new PlatformError(
      'config_invalid',
      {
        message: `The file ${path} cannot be written (${String(failure.code)}).`,
        fix: 'Fix its permissions or those of its folder, or set PARLEY_HOME to another folder.',
        file: path,
      },
      { cause: failure },
    )
  }
}

const TIMEOUT_MS = 10_000

async function takeLock(home: string, path: string) {
  const { takeFileLock } = await import('@parley/history')
  const deadline = Date.now() + TIMEOUT_MS
  do {
    const lock = takeFileLock(join(home, 'settings.lock'))
    if (lock) return lock
    await pause(20)
  } while (Date.now() < deadline)
  throw new PlatformError('already_running', {
    message: `Another Parley is changing ${path}.`,
    fix: 'Try again in a moment.',
  })
}

function ignoreMissing(failure: NodeJS.ErrnoException): undefined {
  if (failure.code !== 'ENOENT') throw failure
}

async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.new`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (failure) {
    await rm(draft, { force: true })
    throw failure
  }
}
