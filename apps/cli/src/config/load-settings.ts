import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ChatConfig, type ConfigFile, FsScopeTier, PlatformError } from '@parley/contracts'
import type { ToolPolicy } from '@parley/tools'
import type { Config } from '../config.ts'
import { isTrustedFile, readTrust } from '../trust/trust-store.ts'
import { type ConfigLayer, type MergedConfig, type Widening, mergeConfig } from './merge-config.ts'
import { type ReadConfig, readConfigFile } from './read-config-file.ts'

/** The name of the person's own config file, in the data folder. */
export const OWN_FILE = 'config.toml'
const PROJECT_FILES = ['workspace.toml', 'project.toml'] as const

export interface Settings extends MergedConfig {
  /** The files that were found, the person's own first. */
  readonly files: readonly string[]
  /** The `.parley` folder of the project, where there is one. */
  readonly project?: string
  /** What the project's files ask for and do not get, since nobody trusts them. */
  readonly ignored: readonly Widening[]
  /** The same for a person, a line for each file, with what to do about it; and what would do nothing. */
  readonly notices: readonly string[]
}

interface Wanted {
  /** Absent where no project counts: for a server. */
  readonly workingDir?: string
  /** What the options of the command line say; they go before everything else. */
  readonly given?: readonly ConfigLayer[]
}

/** The settings that hold in a folder: the person's config, the project's as far as it may, the environment, the options. */
export async function loadSettings(config: Config, { workingDir, given = [] }: Wanted): Promise<Settings> {
  const own = await readConfigFile(join(config.home, OWN_FILE))
  const { project, files } =
    workingDir === undefined ? NO_PROJECT : await readProjectFiles(config, workingDir)
  const merge = (reachOf: (file: ReadConfig) => ConfigLayer['reach']) =>
    mergeConfig([
      ...[own ?? []].flat().map((file) => layerOf(file, 'own')),
      ...files.map((file) => layerOf(file, reachOf(file))),
      ...environmentLayers(config.variable),
      ...given,
    ])

  const narrowed = merge(() => 'narrowing')
  const trusted = narrowed.widenings.length === 0 ? [] : await trustedAmong(config.home, files)
  const merged =
    trusted.length === 0 ? narrowed : merge((file) => (trusted.includes(file) ? 'trusted' : 'narrowing'))
  const trustedFiles = trusted.map(({ file }) => file)
  const ignored = merged.widenings.filter(({ source }) => !trustedFiles.includes(source))
  return {
    ...merged,
    files: [own ?? [], ...files].flat().map(({ file }) => file),
    ...(project !== undefined && { project }),
    ignored,
    notices: [...noticesOf(ignored), ...unsentHeaders(merged, [own ?? [], ...files].flat())],
  }
}

const NO_PROJECT = { project: undefined, files: [] }

/** The config files of the project that a folder belongs to, weakest first. */
export async function readProjectFiles({ home }: Config, workingDir: string) {
  const project = await findProject(workingDir, home)
  if (project === undefined) return { project, files: [] }
  const read = await Promise.all(PROJECT_FILES.map((name) => readConfigFile(join(project, name))))
  return { project, files: read.filter((file) => file !== undefined) }
}

const layerOf = ({ file, config }: ReadConfig, reach: ConfigLayer['reach']): ConfigLayer => ({
  source: file,
  config,
  reach,
})

async function trustedAmong(home: string, files: readonly ReadConfig[]): Promise<readonly ReadConfig[]> {
  const trust = await readTrust(home)
  if (trust.length === 0) return []
  const paths = await Promise.all(files.map(({ file }) => realpath(file)))
  return files.filter(({ sha256 }, index) => isTrustedFile(trust, { path: paths[index] ?? '', sha256 }))
}

/** Headers for a host that no request may go to. */
const unsentHeaders = (
  { http_headers, chat, sources }: MergedConfig,
  files: readonly ReadConfig[],
): readonly string[] =>
  Object.keys(http_headers)
    .filter((host) => !chat.allowed_domains.includes(host))
    .map((host) => {
      const source = sources[`http_headers.${host}`]
      const place = files.find(({ file }) => file === source)?.placeOf(['http_headers', host]) ?? source
      return `${place}: the headers for ${host} are never sent, since allowed_domains under [chat] does not hold it.`
    })

function noticesOf(ignored: readonly Widening[]): readonly string[] {
  const sources = [...new Set(ignored.map(({ source }) => source))]
  return sources.map((source) => {
    const keys = ignored.filter((one) => one.source === source).map(({ key }) => key)
    return `${join('.parley', basename(source))} asks for more than your own config allows. Ignored: ${keys.join(', ')}; your own settings hold. See it and decide: parley trust`
  })
}

/** What the environment says of chats: each key of `[chat]` as a variable, such as `PARLEY_CHAT_MAX_TURNS`. */
function environmentLayers(variable: (name: string) => string | undefined): readonly ConfigLayer[] {
  return Object.keys(ChatConfig.shape).flatMap((key) => {
    const name = `PARLEY_CHAT_${key.toUpperCase()}`
    const text = variable(name)
    return text === undefined
      ? []
      : [{ source: name, config: readVariable(name, key, text), reach: 'own' as const }]
  })
}

function readVariable(name: string, key: string, text: string): ConfigFile {
  const tried = readingsOf(text).map((value) => ChatConfig.safeParse({ [key]: value }))
  const fitting = tried.find(({ success }) => success)
  if (fitting?.data) return { chat: fitting.data }
  const issues = tried.flatMap(({ error }) => error?.issues ?? [])
  const told = issues.find(({ code }) => code !== 'invalid_type')?.message ?? `is no value of chat.${key}`
  throw new PlatformError('config_invalid', {
    message: `The environment variable ${name} is invalid: ${told}.`,
    mend: `Set ${name} to a right value, or unset it. A list has commas between its items.`,
    variable: name,
  })
}

/** A text, and what else it may stand for. */
const readingsOf = (text: string): readonly unknown[] => [
  text,
  ...(/^-?[\d.]+$/.test(text) ? [Number(text)] : []),
  ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
  text.split(',').map((item) => item.trim()),
]

/** The `.parley` folder of the project that a folder belongs to: the nearest one upwards, below the person's own folder. */
export async function findProject(workingDir: string, home: string): Promise<string | undefined> {
  const [stop, own] = await Promise.all([real(homedir()), real(home)])
  for (let folder = await real(workingDir); folder !== stop; folder = dirname(folder)) {
    const candidate = join(folder, '.parley')
    const found = await stat(candidate).catch(() => undefined)
    if (found?.isDirectory() && (await real(candidate)) !== own) return candidate
    if (dirname(folder) === folder) return undefined
  }
  return undefined
}

const real = (path: string): Promise<string> => realpath(path).catch(() => path)

/** What these settings allow to tools. `ownFile` is the person's own config, in contrast to a project's. */
export function toolPolicy(
  { chat, mcp_servers, http_headers, web_search, sources }: MergedConfig,
  { tier, root, ownFile }: { tier: FsScopeTier; root?: string; ownFile: string },
): ToolPolicy {
  const servers = Object.entries(mcp_servers).map(
    ([name, server]) => [name, { ...server, isOwn: sources[`mcp_servers.${name}`] === ownFile }] as const,
  )
  return {
    tier,
    ...(root !== undefined && { root }),
    allowedCommands: chat.allowed_commands,
    allowedCommandGlobs: chat.allowed_command_globs,
    allowedDomains: chat.allowed_domains,
    httpHeaders: http_headers,
    ...(web_search && { webSearch: { ...web_search, isOwn: sources['web_search'] === ownFile } }),
    mcpServers: Object.fromEntries(servers),
  }
}
