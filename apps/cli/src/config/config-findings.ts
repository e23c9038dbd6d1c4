import { isIP } from 'node:net'
import { z } from 'zod'
import { ConfigFile, findSecretsIn, formatIssue, describeUnknownKey, writePath } from '@parley/contracts'
import { type TomlEntry, scanToml } from './scan-toml.ts'

/** Why a command could never run, if so: commands run without a shell. */
export function describeShellNeed(command: string): string | undefined {
  // Quoted text is literal, but a shell still expands these in double quotes.
  const bare = command.replace(/'[^']*'|"[^"`$\\]*"/g, '')
  const [sign] = /[;&|<>()`$\\\n]/.exec(bare) ?? []
  return sign === undefined
    ? undefined
    : `it has ${JSON.stringify(sign)}, which needs a shell, but commands run without one. Put it in a script, and allow that`
}

/** Why a host could never be reached, if so. */
export function describeUnreachableHost(host: string): string | undefined {
  if (host === 'localhost' || host.endsWith('.localhost')) {
    return `"${host}" is this machine, which http_request cannot reach. An MCP server in your own config can be local`
  }
  const asAddress = URL.parse(`https://${host}`)?.hostname ?? host
  return isIP(asAddress) === 0
    ? undefined
    : `"${host}" is an IP address, which http_request does not accept. Use the host name`
}

type Path = readonly PropertyKey[]

export interface ConfigFinding {
  readonly line: number
  readonly column: number
  readonly path: string
  readonly message: string
}

interface ConfigProblem {
  readonly path: Path
  /** Whether the key or its value is wrong. */
  readonly part: 'name' | 'start'
  readonly message: string
}

/** Schema errors, settings that could never work, and secrets, in file order. */
export function findConfigProblems(
  text: string,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
): readonly ConfigFinding[] {
  const problems = [
    ...issues.flatMap((issue) => toProblems(issue, value)),
    ...findSecretProblems(value).map((found) => ({ ...found, part: 'start' as const })),
    ...findUnworkable(value),
    ...findReserved(value),
  ].slice(0, MAX_FINDINGS)
  if (problems.length === 0) return []
  const entries = scanToml(text)
  return problems
    .map(({ path, part, message }) => ({
      ...locate(text, entries, path, part),
      path: writePath(path),
      message,
    }))
    .filter((one, index, all) => all.findIndex((other) => isSamePlace(one, other)) === index)
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** The position of a key, in the form editors use. */
export function findPlace(text: string, path: Path): string {
  const { line, column } = locate(text, scanToml(text), path, 'name')
  return `${line}:${column}`
}

// An untrusted file may contain very many.
const MAX_FINDINGS = 20

const isSamePlace = (a: ConfigFinding, b: ConfigFinding) => a.line === b.line && a.column === b.column

function toProblems(issue: z.core.$ZodIssue, value: unknown): readonly ConfigProblem[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_FINDINGS)
      .map((key) => ({ path: [...path, key], part: 'name', message: describeUnknown(path, key) }))
  }
  if (issue.code === 'invalid_key') {
    return [{ path, part: 'name', message: formatIssue(issue.issues[0] ?? issue) }]
  }
  const isMissing = issue.code !== 'custom' && readValueAt(value, path) === undefined
  const message = isMissing ? `the key "${String(path.at(-1))}" is missing` : formatIssue(issue)
  return [{ path, part: isMissing ? 'name' : 'start', message }]
}

const readValueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value)

function describeUnknown(path: Path, key: string): string {
  if (path[0] === 'providers' && /key|token|secret|password/i.test(key) && path.length === 2) {
    return `a key does not belong in this file. Put it in an environment variable and name the variable here: api_key_env = "MY_API_KEY"`
  }
  return describeUnknownKey(key, listSchemaKeys(ConfigFile, path))
}

function listSchemaKeys(schema: z.core.$ZodType, path: Path): readonly string[] {
  if (schema instanceof z.ZodOptional) return listSchemaKeys(schema.unwrap(), path)
  const [first, ...rest] = path
  if (schema instanceof z.ZodRecord) return listSchemaKeys(schema.valueType, rest)
  if (!(schema instanceof z.ZodObject)) return []
  if (first === undefined) return Object.keys(schema.shape)
  const inner: unknown = schema.shape[String(first)]
  return inner instanceof z.ZodType ? listSchemaKeys(inner, rest) : []
}

/** Secrets in a file, each with the right place for it. */
export const findSecretProblems = (value: unknown) =>
  findSecretsIn(value).map(({ path, kind }) => ({ path, message: describeSecret(kind, path) }))

/** The schema ignores this name and everything below it. */
function findReserved(value: unknown, path: Path = []): readonly ConfigProblem[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]): readonly ConfigProblem[] => {
    const at = [...path, Array.isArray(value) ? Number(key) : key]
    return key === '__proto__'
      ? [{ path: at, part: 'name', message: '"__proto__" cannot be a name here' }]
      : findReserved(inner, at)
  })
}

const describeSecret = (kind: string, path: Path): string =>
  `this looks like ${kind}, which does not belong in this file. ${
    acceptsSecretName(path)
      ? 'Save it with `parley keys set NAME`, and write {{secrets.NAME}} here instead'
      : 'Save it with `parley keys set NAME`, or put it in an environment variable and name that one (api_key_env)'
  }`

const acceptsSecretName = ([table, second, third]: Path): boolean =>
  table === 'http_headers' ||
  (table === 'web_search' && second === 'headers') ||
  (table === 'mcp_servers' && (third === 'headers' || third === 'env'))

const UNWORKABLE = [
  { key: 'allowed_commands', findFlaw: describeShellNeed },
  { key: 'allowed_domains', findFlaw: describeUnreachableHost },
] as const

/** Valid entries that would allow nothing. */
const findUnworkable = (value: unknown): readonly ConfigProblem[] =>
  UNWORKABLE.flatMap(({ key, findFlaw }) => {
    const items = readValueAt(value, ['chat', key])
    if (!Array.isArray(items)) return []
    return items.flatMap((item: unknown, index): readonly ConfigProblem[] => {
      const message = typeof item === 'string' ? findFlaw(item) : undefined
      return message === undefined ? [] : [{ path: ['chat', key, index], part: 'start', message }]
    })
  })

/** The position of a path, or of its nearest parent. */
function locate(text: string, entries: readonly TomlEntry[], path: Path, part: ConfigProblem['part']) {
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = path.slice(0, length)
    const entry = entries.find((candidate) => isSame(candidate.path, prefix))
    if (entry) return toLineAndColumn(text, entry[length === path.length ? part : 'name'])
  }
  return { line: 1, column: 1 }
}

const isSame = (a: Path, b: Path) => a.length === b.length && a.every((key, index) => key === b[index])

function toLineAndColumn(text: string, offset: number) {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
