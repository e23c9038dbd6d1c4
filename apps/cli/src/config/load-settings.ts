import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ChatConfig, type ConfigFile, FsScopeTier, PlatformError, formatIssue } from '@parley/contracts'
import type { ToolPolicy } from '@parley/tools'
import type { Environment } from '../environment.ts'
import { isTrustedFile, readTrust } from '../trust/trust-store.ts'
import { type ConfigLayer, type MergedConfig, type Widening, mergeConfigLayers } from './merge-config.ts'
import { type ReadConfig, readConfigFile } from './read-config-file.ts'

export const OWN_FILE = 'config.toml'
const PROJECT_FILES = ['workspace.toml', 'project.toml'] as const

export interface Settings extends MergedConfig {
  /** The files found, the user's own first. */
  readonly files: readonly string[]
  /** The `.parley` folder of the project, if any. */
  readonly project?: string
  /** What untrusted project files ask for and do not get. */
  readonly ignored: readonly Widening[]
  /** The same as messages, one per file; plus settings without effect. */
  readonly notices: readonly string[]
}

interface SettingsQuery {
  /** Absent for a server, where no project applies. */
  readonly workingDir?: string
  /** Command line options, which win over everything else. */
  readonly given?: readonly ConfigLayer[]
}

/**
 * The settings for a folder: the user's config, the project's as far as allowed, the environment, the options.
 */
export async function loadSettings(
  environment: Environment,
  { workingDir, given = [] }: SettingsQuery,
): Promise<Settings> {
  const own = await readConfigFile(join(environment.home, OWN_FILE))
  const { project, files } =
    workingDir === undefined ? NO_PROJECT : await readProjectFiles(environment, workingDir)
  const merge = (chooseReach: (file: ReadConfig) => ConfigLayer['reach']) =>
    mergeConfigLayers([
      ...[own ?? []].flat().map((file) => toLayer(file, 'own')),
      ...files.map((file) => toLayer(file, chooseReach(file))),
      ...readEnvironmentLayers(environment.variable),
      ...given,
    ])

  const narrowed = merge(() => 'narrowing')
  const trusted = narrowed.widenings.length === 0 ? [] : await filterTrusted(environment.home, files)
  const merged =
    trusted.length === 0 ? narrowed : merge((file) => (trusted.includes(file) ? 'trusted' : 'narrowing'))
  const trustedFiles = trusted.map(({ file }) => file)
  const ignored = merged.widenings.filter(({ source }) => !trustedFiles.includes(source))
  return {
    ...merged,
    files: [own ?? [], ...files].flat().map(({ file }) => file),
    ...(project !== undefined && { project }),
    ignored,
    notices: [...listNotices(ignored), ...findUnsentHeaders(merged, [own ?? [], ...files].flat())],
  }
}

const NO_PROJECT = { project: undefined, files: [] }

/** The config files of a folder's project, weakest first. */
export async function readProjectFiles({ home }: Environment, workingDir: string) {
  const project = await findParleyFolder(workingDir, home)
  if (project === undefined) return { project, files: [] }
  const read = await Promise.all(PROJECT_FILES.map((name) => readConfigFile(join(project, name))))
  return { project, files: read.filter((file) => file !== undefined) }
}

const toLayer = ({ file, config }: ReadConfig, reach: ConfigLayer['reach']): ConfigLayer => ({
  source: file,
  config,
  reach,
})

async function filterTrusted(home: string, files: readonly ReadConfig[]): Promise<readonly ReadConfig[]> {
  const trust = await readTrust(home)
  if (trust.length === 0) return []
  const paths = await Promise.all(files.map(({ file }) => realpath(file)))
  return files.filter(({ sha256 }, index) => isTrustedFile(trust, { path: paths[index] ?? '', sha256 }))
}

/** Headers for a host that is not allowed. */
const findUnsentHeaders = (
  { http_headers, chat, sources }: MergedConfig,
  files: readonly ReadConfig[],
): readonly string[] =>
  Object.keys(http_headers)
    .filter((host) => !chat.allowed_domains.includes(host))
    .map((host) => {
      const source = sources[`http_headers.${host}`]
      const place = files.find(({ file }) => file === source)?.formatPlaceOf(['http_headers', host]) ?? source
      return `${place}: the headers for ${host} are never sent: allowed_domains under [chat] does not include it.`
    })

function listNotices(ignored: readonly Widening[]): readonly string[] {
  const sources = [...new Set(ignored.map(({ source }) => source))]
  return sources.map((source) => {
    const keys = ignored.filter((one) => one.source === source).map(({ key }) => key)
    return `${join('.parley', basename(source))} asks for more than your own config allows. Ignored: ${keys.join(', ')}; your own settings apply. Review it: parley trust`
  })
}

/** Chat settings in the environment, such as `PARLEY_CHAT_MAX_TURNS`. */
function readEnvironmentLayers(variable: (name: string) => string | undefined): readonly ConfigLayer[] {
  return Object.keys(ChatConfig.shape).flatMap((key) => {
    const name = `PARLEY_CHAT_${key.toUpperCase()}`
    const text = variable(name)
    return text === undefined
      ? []
      : [{ source: name, config: readVariable(name, key, text), reach: 'own' as const }]
  })
}

function readVariable(name: string, key: string, text: string): ConfigFile {
  const attempts = listPossibleValues(text).map((value) => ChatConfig.safeParse({ [key]: value }))
  const valid = attempts.find(({ success }) => success)
  if (valid?.data) return { chat: valid.data }
  const issues = attempts.flatMap(({ error }) => error?.issues ?? [])
  const issue = issues.find(({ code }) => code !== 'invalid_type') ?? issues[0]
  const problem = issue ? formatIssue(issue) : 'is invalid'
  throw new PlatformError('config_invalid', {
    message: `The environment variable ${name} is invalid: ${problem}.`,
    fix: `Set ${name} to a valid value, or unset it. Separate list items with commas.`,
    variable: name,
  })
}

/** The values that a text can mean. */
const listPossibleValues = (text: string): readonly unknown[] => [
  text,
  ...(/^-?[\d.]+$/.test(text) ? [Number(text)] : []),
  ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
  text.split(',').map((item) => item.trim()),
]

/** The nearest `.parley` folder upwards, below the user's home. */
export async function findParleyFolder(workingDir: string, home: string): Promise<string | undefined> {
  const [stop, own] = await Promise.all([resolveLinks(homedir()), resolveLinks(home)])
  for (let folder = await resolveLinks(workingDir); folder !== stop; folder = dirname(folder)) {
    const candidate = join(folder, '.parley')
    const stats = await stat(candidate).catch(() => undefined)
    if (stats?.isDirectory() && (await resolveLinks(candidate)) !== own) return candidate
    if (dirname(folder) === folder) return undefined
  }
  return undefined
}

const resolveLinks = (path: string): Promise<string> => realpath(path).catch(() => path)

/** What the settings allow tools to do. `ownFile` is the user's config. */
export function createToolPolicy(
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
