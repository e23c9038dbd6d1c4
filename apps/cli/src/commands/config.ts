import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { createJsonSchema } from '../agent/json-schema.ts'
import type { Environment } from '../environment.ts'
import { type ConfiguredProvider, describeKeyState, listProviders } from '../config/configured-providers.ts'
import { describeHeaders, describeMcpServer, describeSearch } from '../config/merge-config.ts'
import { OWN_FILE, type Settings, loadSettings } from '../config/load-settings.ts'
import { listSecretNotices } from '../config/secrets.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { renderColumns } from '../render/columns.ts'
import { notify } from '../render/output.ts'
import { readDisplay } from '../render/display.ts'
import { type CommandCall, printJson } from './command.ts'

/** Prints the settings for this folder and their sources; keys only as set or missing. */
export async function printConfig({ io, json, environment }: CommandCall): Promise<ExitCode> {
  const settings = await loadSettings(environment, { workingDir: process.cwd() })
  const providers = listProviders(settings, environment)
  if (json) return printJson(io, toJson(settings, providers))
  const rows = [
    ...toChatRows(settings),
    ...toProviderRows(providers),
    ...toMcpServerRows(settings),
    ...toWebRows(settings),
    ...toServerRows(settings, environment),
    ...toLearningRows(settings, environment),
  ]
  const { style, columns, isTerminal } = readDisplay(io.stdout, environment)
  const room = isTerminal ? { columns: columns - 1, yielding: [1, 2], wraps: true as const } : undefined
  io.stdout.write(renderColumns(['SETTING', 'VALUE', 'FROM'], rows, style, room))
  for (const notice of [...settings.notices, ...(await tryListSecretNotices(settings, environment))])
    notify(io, notice)
  return EXIT.done
}

const DEFAULT = 'default'

function toChatRows({ chat, sources }: Settings): readonly (readonly string[])[] {
  return Object.entries(chat).map(([key, value]) => {
    const name = `chat.${key}`
    return [name, formatChatSetting(key, value), sources[name] ?? DEFAULT]
  })
}

const WITHOUT_VALUE: Readonly<Record<string, string>> = {
  reasoning_effort: 'not set: model default',
  max_cost_microcents: 'not set: no limit',
}

export function formatChatSetting(key: string, value: Settings['chat'][keyof Settings['chat']]): string {
  if (value === undefined) return WITHOUT_VALUE[key] ?? 'not set'
  if (typeof value !== 'object') return String(value)
  return value.length === 0 ? 'none' : value.join(', ')
}

const toProviderRows = (providers: readonly ConfiguredProvider[]) =>
  providers.map((provider) => {
    const { name, kind, baseUrl, source } = provider
    const value = [kind, ...(baseUrl === undefined ? [] : [baseUrl]), describeKeyState(provider)].join(', ')
    return [`providers.${name}`, value, source]
  })

const toMcpServerRows = ({ mcp_servers, sources }: Settings) =>
  replaceEmptyByNone(
    'mcp_servers',
    Object.entries(mcp_servers).map(([name, server]) => {
      const key = `mcp_servers.${name}`
      return [key, describeMcpServer(name, server), sources[key] ?? DEFAULT]
    }),
  )

const replaceEmptyByNone = (table: string, rows: readonly (readonly string[])[]) =>
  rows.length === 0 ? [[table, 'none', DEFAULT]] : rows

function toWebRows({ http_headers, web_search, sources }: Settings) {
  const headers = Object.entries(http_headers).map(([host, sent]) => {
    const key = `http_headers.${host}`
    return [key, describeHeaders(host, sent), sources[key] ?? DEFAULT]
  })
  const search = web_search ? describeSearch(web_search) : 'not set'
  return [
    ...replaceEmptyByNone('http_headers', headers),
    ['web_search', search, sources['web_search'] ?? DEFAULT],
  ]
}

const toServerRows = ({ server }: Settings, { home }: Environment) =>
  server.root === undefined
    ? [['server.root', join(home, 'workspace'), DEFAULT]]
    : [['server.root', server.root, join(home, OWN_FILE)]]

const toLearningRows = ({ learning }: Settings, { home }: Environment) =>
  (['model', 'embedding_model'] as const).map((key) => {
    const value = learning[key]
    return value === undefined
      ? [`learning.${key}`, WITHOUT_MODEL[key], DEFAULT]
      : [`learning.${key}`, value, join(home, OWN_FILE)]
  })

export const WITHOUT_MODEL = {
  model: 'none (built-in rules)',
  embedding_model: 'none (keyword search only)',
} as const

/** Other commands report an unreadable history. */
async function tryListSecretNotices(
  settings: Settings,
  environment: Environment,
): Promise<readonly string[]> {
  try {
    return await listSecretNotices(settings, environment)
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    return [`Could not check the secrets it names: ${failure.message}`]
  }
}

function toJson(settings: Settings, providers: readonly ConfiguredProvider[]) {
  const { chat, mcp_servers, http_headers, web_search, server, learning, sources, files, ignored } = settings
  return {
    chat: Object.fromEntries(
      Object.entries(chat).map(([key, value]) => [
        key,
        { value: value ?? null, source: sources[`chat.${key}`] ?? DEFAULT },
      ]),
    ),
    providers: providers.map(({ apiKey, ...known }) => ({ ...known, hasKey: apiKey !== undefined })),
    mcp_servers,
    http_headers,
    web_search: web_search ?? null,
    server,
    learning,
    files,
    ignored,
  }
}

export async function printConfigSchema({ io }: CommandCall): Promise<ExitCode> {
  io.stdout.write(createJsonSchema('config'))
  return EXIT.done
}
