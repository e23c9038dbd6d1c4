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
export interface ConfigLayer {
  /** The source: a file, a variable or an option. */
  readonly source: string
  readonly config: ConfigFile
  readonly reach: 'own' | 'trusted' | 'narrowing'
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
export function mergeConfigLayers(layers: readonly ConfigLayer[]): MergedConfig {
  return layers.reduce(addLayer, EMPTY)
}

const EMPTY: MergedConfig = {
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

function addLayer(below: MergedConfig, layer: ConfigLayer): MergedConfig {
  const withProviders = addTable(below, layer, 'providers', describeProvider)
  const withServers = addTable(withProviders, layer, 'mcp_servers', describeMcpServer)
  const withHeaders = addTable(withServers, layer, 'http_headers', describeHeaders)
  return addOwn(addChat(addSearch(withHeaders, layer), layer), layer)
}

/** Settings that only the user's own file can set. */
function addOwn(below: MergedConfig, { config, reach }: ConfigLayer): MergedConfig {
  if (reach !== 'own') return below
  const { server, learning } = below
  return { ...below, server: { ...server, ...config.server }, learning: { ...learning, ...config.learning } }
}

function addSearch(below: MergedConfig, { source, config, reach }: ConfigLayer): MergedConfig {
  const { web_search } = config
  if (!web_search || isDeepStrictEqual(web_search, below.web_search)) return below
  const widening = { source, key: 'web_search', what: describeSearch(web_search) }
  const merged = reach === 'own' ? below : { ...below, widenings: [...below.widenings, widening] }
  if (reach === 'narrowing') return merged
  return { ...merged, web_search, sources: { ...merged.sources, web_search: source } }
}

function addTable<Table extends 'providers' | 'mcp_servers' | 'http_headers'>(
  below: MergedConfig,
  { source, config, reach }: ConfigLayer,
  table: Table,
  describe: (name: string, entry: MergedConfig[Table][string]) => string,
): MergedConfig {
  const entries = (config[table] ?? {}) as MergedConfig[Table]
  let merged = below
  for (const [name, entry] of Object.entries(entries)) {
    const key = `${table}.${name}`
    if (reach !== 'own') {
      if (isDeepStrictEqual(below[table][name], entry)) continue
      const replaced = below[table][name] === undefined ? '' : ', instead of yours'
      const widening = { source, key, what: describe(name, entry) + replaced }
      merged = { ...merged, widenings: [...merged.widenings, widening] }
      if (reach === 'narrowing') continue
    }
    const sources = { ...merged.sources, [key]: source }
    merged = { ...merged, sources, [table]: { ...merged[table], [name]: entry } }
  }
  return merged
}

function addChat(below: MergedConfig, layer: ConfigLayer): MergedConfig {
  const keys = Object.keys(NARROWING) as (keyof ChatSettings)[]
  return keys.reduce((merged, key) => addSetting(merged, layer, key), below)
}

function addSetting(
  below: MergedConfig,
  { source, config, reach }: ConfigLayer,
  key: keyof ChatSettings,
): MergedConfig {
  const requested = readRequestedValue(config.chat, key)
  if (requested === undefined) return below
  const allowed = below.chat[key]
  const narrowed = narrow(below, key, requested)
  const value = reach === 'narrowing' ? narrowed.value : requested
  const isChanged = reach === 'own' || !isDeepStrictEqual(value, allowed)
  const isWider = reach !== 'own' && narrowed.wider !== undefined
  const what = `${key} = ${JSON.stringify(narrowed.wider)} instead of your ${JSON.stringify(allowed)}`
  const widening = { source, key: `chat.${key}`, what }
  return {
    ...below,
    chat: { ...below.chat, [key]: value },
    sources: isChanged ? { ...below.sources, [`chat.${key}`]: source } : below.sources,
    widenings: isWider ? [...below.widenings, widening] : below.widenings,
  }
}

function readRequestedValue(chat: ChatConfig | undefined, key: keyof ChatSettings): unknown {
  const requested = chat?.[key]
  // 0 means the default: a chat needs at least one turn and step.
  return (key === 'max_turns' || key === 'max_tool_turns') && requested === 0 ? undefined : requested
}

function narrow(
  { chat, providers }: MergedConfig,
  key: keyof ChatSettings,
  requested: unknown,
): Narrowed<unknown> {
  if (key === 'default_model' && !isSameProvider(providers, chat[key], String(requested))) {
    return { value: chat[key], wider: requested }
  }
  // Setting and rule share the key and so the type, which TypeScript cannot express for an unknown key.
  const rule = NARROWING[key].narrow as (allowed: unknown, requested: unknown) => Narrowed<unknown>
  return rule(chat[key], requested)
}

/** Whether messages would go to the same place as now, or nowhere. */
function isSameProvider(providers: MergedConfig['providers'], now: string, then: string): boolean {
  const name = splitModel(then).provider
  return (
    name === 'offline' ||
    isDeepStrictEqual(
      toProviderIdentity(providers, name),
      toProviderIdentity(providers, splitModel(now).provider),
    )
  )
}

function toProviderIdentity(providers: MergedConfig['providers'], name: string) {
  const { kind, base_url, api_key_env } = providers[name] ?? {}
  return kind === undefined ? { name } : { kind, base_url, api_key_env }
}

function describeProvider(name: string, { kind, base_url, api_key_env, models }: ProviderConfig): string {
  const key = api_key_env ?? PROVIDER_KINDS[kind].keyVariable
  return [
    `provider "${name}" (${kind}) ${base_url === undefined ? 'at its default address' : `at ${base_url}`}`,
    key === undefined ? 'without a key' : `with the key in ${key}`,
    ...(models ? [`with its own limits and prices for ${Object.keys(models).join(', ')}`] : []),
  ].join(', ')
}

/** Values are shown as written: they contain secrets only by name. */
export function describeMcpServer(
  name: string,
  { command, args = [], env = {}, url, headers = {}, tools }: McpServerConfig,
): string {
  const words = [command ?? '', ...args].map((word) =>
    /^[\w./@:=-]+$/.test(word) ? word : JSON.stringify(word),
  )
  const target = url === undefined ? `runs ${words.join(' ')}` : `at ${url}`
  return [
    `MCP server "${name}": ${target}`,
    ...formatPairs(env).map((one) => `with ${one}`),
    ...formatPairs(headers).map((one) => `sends ${one}`),
    ...(tools ? [`only the tools ${tools.join(', ')}`] : []),
  ].join(', ')
}

export const describeHeaders = (host: string, headers: Readonly<Record<string, string>>): string =>
  `each request to ${host} sends ${formatPairs(headers).join(', ')}`

export const describeSearch = ({ kind, url, headers = {} }: WebSearchConfig): string =>
  [`the web is searched at ${url} (${kind})`, ...formatPairs(headers).map((one) => `sends ${one}`)].join(', ')

const formatPairs = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).map(([name, value]) => `${name}: ${value}`)

/** Splits `local/meta/llama3` into its provider and model. */
export function splitModel(reference: string): { readonly provider: string; readonly model: string } {
  const slash = reference.indexOf('/')
  return { provider: reference.slice(0, slash), model: reference.slice(slash + 1) }
}
