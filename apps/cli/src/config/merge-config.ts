import { isDeepStrictEqual } from 'node:util'
import {
  type ChatConfig,
  type ConfigFile,
  type McpServerConfig,
  type ProviderConfig,
  PROVIDER_KINDS,
  type WebSearchConfig,
} from '@parley/contracts'
import { type ChatSettings, DEFAULT_CHAT, NARROWING, type Narrowed } from './chat-settings.ts'

/** `own`: the user's config, which decides. `trusted`, `narrowing`: a project's. */
type Reach = 'own' | 'trusted' | 'narrowing'

export interface ConfigLayer {
  /** The source: a file, a variable or an option. */
  readonly source: string
  readonly config: ConfigFile
  readonly reach: Reach
}

/** A request of a project's file beyond what the user allows. */
export interface Widening {
  readonly source: string
  readonly key: string
  readonly what: string
}

export interface MergedConfig {
  readonly chat: ChatSettings
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly mcp_servers: Readonly<Record<string, McpServerConfig>>
  readonly http_headers: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly web_search: WebSearchConfig | undefined
  /** Only from the user's own file, like the next one. */
  readonly server: NonNullable<ConfigFile['server']>
  readonly learning: NonNullable<ConfigFile['learning']>
  /** The source of each value by key, such as `chat.max_turns` or `providers.local`. */
  readonly sources: Readonly<Record<string, string>>
  readonly widenings: readonly Widening[]
}

/** Merges layers, later over earlier; a narrowing layer cannot widen a setting. */
export function mergeConfig(layers: readonly ConfigLayer[]): MergedConfig {
  return layers.reduce(lay, NOTHING)
}

const NOTHING: MergedConfig = {
  chat: DEFAULT_CHAT,
  providers: {},
  mcp_servers: {},
  http_headers: {},
  web_search: undefined,
  server: {},
  learning: {},
  sources: {},
  widenings: [],
}

function lay(below: MergedConfig, layer: ConfigLayer): MergedConfig {
  const withProviders = layTable(below, layer, 'providers', describeProvider)
  const withServers = layTable(withProviders, layer, 'mcp_servers', describeMcpServer)
  const withHeaders = layTable(withServers, layer, 'http_headers', describeHeaders)
  return layOwn(layChat(laySearch(withHeaders, layer), layer), layer)
}

/** Settings that only the user's own file can set. */
function layOwn(below: MergedConfig, { config, reach }: ConfigLayer): MergedConfig {
  if (reach !== 'own') return below
  const { server, learning } = below
  return { ...below, server: { ...server, ...config.server }, learning: { ...learning, ...config.learning } }
}

function laySearch(below: MergedConfig, { source, config, reach }: ConfigLayer): MergedConfig {
  const { web_search } = config
  if (!web_search || isDeepStrictEqual(web_search, below.web_search)) return below
  const asked = { source, key: 'web_search', what: describeSearch(web_search) }
  const merged = reach === 'own' ? below : { ...below, widenings: [...below.widenings, asked] }
  if (reach === 'narrowing') return merged
  return { ...merged, web_search, sources: { ...merged.sources, web_search: source } }
}

function layTable<Table extends 'providers' | 'mcp_servers' | 'http_headers'>(
  below: MergedConfig,
  { source, config, reach }: ConfigLayer,
  table: Table,
  describe: (name: string, entry: MergedConfig[Table][string]) => string,
): MergedConfig {
  const asked = (config[table] ?? {}) as MergedConfig[Table]
  let merged = below
  for (const [name, entry] of Object.entries(asked)) {
    const key = `${table}.${name}`
    if (reach !== 'own') {
      if (isDeepStrictEqual(below[table][name], entry)) continue
      const replaced = below[table][name] === undefined ? '' : ', in place of the one that you have'
      const widening = { source, key, what: describe(name, entry) + replaced }
      merged = { ...merged, widenings: [...merged.widenings, widening] }
      if (reach === 'narrowing') continue
    }
    const sources = { ...merged.sources, [key]: source }
    merged = { ...merged, sources, [table]: { ...merged[table], [name]: entry } }
  }
  return merged
}

function layChat(below: MergedConfig, layer: ConfigLayer): MergedConfig {
  const keys = Object.keys(NARROWING) as (keyof ChatSettings)[]
  return keys.reduce((merged, key) => laySetting(merged, layer, key), below)
}

function laySetting(
  below: MergedConfig,
  { source, config, reach }: ConfigLayer,
  key: keyof ChatSettings,
): MergedConfig {
  const asked = askedOf(config.chat, key)
  if (asked === undefined) return below
  const allowed = below.chat[key]
  const narrowed = narrow(below, key, asked)
  const value = reach === 'narrowing' ? narrowed.value : asked
  const isChanged = reach === 'own' || !isDeepStrictEqual(value, allowed)
  const isWider = reach !== 'own' && narrowed.wider !== undefined
  const what = `${key} = ${JSON.stringify(narrowed.wider)}, where you have ${JSON.stringify(allowed)}`
  const widening = { source, key: `chat.${key}`, what }
  return {
    ...below,
    chat: { ...below.chat, [key]: value },
    sources: isChanged ? { ...below.sources, [`chat.${key}`]: source } : below.sources,
    widenings: isWider ? [...below.widenings, widening] : below.widenings,
  }
}

function askedOf(chat: ChatConfig | undefined, key: keyof ChatSettings): unknown {
  const asked = chat?.[key]
  // 0 means the default: a chat needs at least one turn and step.
  return (key === 'max_turns' || key === 'max_tool_turns') && asked === 0 ? undefined : asked
}

function narrow(
  { chat, providers }: MergedConfig,
  key: keyof ChatSettings,
  asked: unknown,
): Narrowed<unknown> {
  if (key === 'default_model' && !answersAtTheSamePlace(providers, chat[key], String(asked))) {
    return { value: chat[key], wider: asked }
  }
  // Setting and rule share the key and so the type, which TypeScript cannot express for an unknown key.
  const rule = NARROWING[key].narrow as (allowed: unknown, asked: unknown) => Narrowed<unknown>
  return rule(chat[key], asked)
}

/** Whether messages would go to the same place as now, or nowhere. */
function answersAtTheSamePlace(providers: MergedConfig['providers'], now: string, then: string): boolean {
  const name = splitModel(then).provider
  return (
    name === 'offline' ||
    isDeepStrictEqual(placeOf(providers, name), placeOf(providers, splitModel(now).provider))
  )
}

function placeOf(providers: MergedConfig['providers'], name: string) {
  const { kind, base_url, api_key_env } = providers[name] ?? {}
  return kind === undefined ? { name } : { kind, base_url, api_key_env }
}

function describeProvider(name: string, { kind, base_url, api_key_env, models }: ProviderConfig): string {
  const key = api_key_env ?? PROVIDER_KINDS[kind].keyVariable
  return [
    `provider "${name}" (${kind}) ${base_url === undefined ? 'at its default address' : `at ${base_url}`}`,
    key === undefined ? 'without a key' : `with the key in ${key}`,
    ...(models ? [`with limits and prices of its own for ${Object.keys(models).join(', ')}`] : []),
  ].join(', ')
}

/** Values are shown as written: they contain secrets only by name. */
export function describeMcpServer(
  name: string,
  { command, args = [], env = {}, url, headers = {}, tools }: McpServerConfig,
): string {
  const line = [command ?? '', ...args].map((word) =>
    /^[\w./@:=-]+$/.test(word) ? word : JSON.stringify(word),
  )
  const where = url === undefined ? `runs ${line.join(' ')}` : `at ${url}`
  return [
    `MCP server "${name}": ${where}`,
    ...given(env).map((one) => `with ${one}`),
    ...given(headers).map((one) => `sends ${one}`),
    ...(tools ? [`only the tools ${tools.join(', ')}`] : []),
  ].join(', ')
}

export const describeHeaders = (host: string, headers: Readonly<Record<string, string>>): string =>
  `each request to ${host} sends ${given(headers).join(', ')}`

export const describeSearch = ({ kind, url, headers = {} }: WebSearchConfig): string =>
  [`the web is searched at ${url} (${kind})`, ...given(headers).map((one) => `sends ${one}`)].join(', ')

const given = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).map(([name, value]) => `${name}: ${value}`)

/** Splits `local/meta/llama3` into its provider and model. */
export function splitModel(reference: string): { readonly provider: string; readonly model: string } {
  const slash = reference.indexOf('/')
  return { provider: reference.slice(0, slash), model: reference.slice(slash + 1) }
}
