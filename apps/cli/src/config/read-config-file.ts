import { readFile, stat } from 'node:fs/promises'
import { TomlError, parse } from 'smol-toml'
import { ConfigFile, PlatformError } from '@parley/contracts'
import { computeSha256 } from '../compute-sha256.ts'
import { decodeText } from '../io.ts'
import { type ConfigFinding, findConfigProblems, findPlace } from './config-findings.ts'

export interface ReadConfig {
  readonly file: string
  readonly config: ConfigFile
  readonly sha256: string
  /** The position of a key as file, line and column. */
  readonly formatPlaceOf: (path: readonly string[]) => string
}

/** Reads a config file, if it exists; errors name file, line, column and key. */
export async function readConfigFile(file: string): Promise<ReadConfig | undefined> {
  const bytes = await readBytes(file)
  if (!bytes) return undefined
  const text = decodeText(bytes)
  if (text === undefined) {
    throw createInvalidConfigError(file, [{ line: 1, column: 1, path: '', message: 'it is not UTF-8 text' }])
  }
  return {
    file,
    config: parseConfig(text, file),
    sha256: computeSha256(bytes),
    formatPlaceOf: (path) => `${file}:${findPlace(text, path)}`,
  }
}

export function parseConfig(text: string, file: string): ConfigFile {
  const value = parseToml(text, file)
  const parsed = ConfigFile.safeParse(value)
  const findings = findConfigProblems(text, value, parsed.error?.issues ?? [])
  if (parsed.success && findings.length === 0) return parsed.data
  throw createInvalidConfigError(file, findings)
}

const MAX_BYTES = 1_000_000

async function readBytes(file: string): Promise<Uint8Array | undefined> {
  try {
    const stats = await stat(file)
    if (!stats.isFile())
      throw createUnreadableConfigError(
        file,
        stats.isDirectory() ? 'it is a folder' : 'it is not a regular file',
      )
    if (stats.size > MAX_BYTES)
      throw createUnreadableConfigError(file, `it has more than ${MAX_BYTES / 1e6} MB`)
    return await readFile(file)
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? failure.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (failure instanceof PlatformError) throw failure
    throw createUnreadableConfigError(file, code === 'EACCES' ? 'access is denied (EACCES)' : String(code))
  }
}

const createUnreadableConfigError = (file: string, reason: string) =>
  new PlatformError('config_invalid', {
    message: `The config file ${file} cannot be read: ${reason}.`,
    fix: 'Put a readable TOML file there, or remove it.',
    file,
  })

function parseToml(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (failure) {
    if (!(failure instanceof TomlError)) throw failure
    const { line, column } = failure
    // The rest of the message quotes the file, which may contain secrets.
    const message = failure.message.replace(/^Invalid TOML document: /, '').replace(/\n[^]*$/, '')
    throw createInvalidConfigError(file, [{ line, column, path: '', message }])
  }
}

function createInvalidConfigError(file: string, findings: readonly ConfigFinding[]): PlatformError {
  const sentences = findings.map(({ line, column, path, message }) => {
    const at = path === '' || message.includes(`"${path}"`) ? '' : `${path}: `
    return `${file}:${line}:${column}: ${at}${message}`
  })
  return new PlatformError('config_invalid', { ...findings[0], file, message: sentences.join('\n  ') })
}
