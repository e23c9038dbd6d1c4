import type { ConfiguredProvider } from '../config/providers-of.ts'
import { readConfig } from '../config.ts'
import { renderColumns } from '../config/render-columns.ts'
import { describeMcpServer } from '../config/describe-entries.ts'
import { loadSettings, type Settings } from '../config/load-settings.ts'
import { providerState } from '../config/provider-state.ts'
import { providersOf } from '../config/providers-of.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { screenOf } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

/** Prints the settings that hold in this folder, and where each comes from; of keys only whether they are set. */
export async function config({ io, json }: CommandCall): Promise<ExitCode> {
  const environment = readConfig(io.environment)
  const settings = await loadSettings(environment, { workingDir: process.cwd() })
  const providers = providersOf(settings, environment)
  if (json) {
    io.stdout.write(jsonLine(toJson(settings, providers)))
    return EXIT.done
  }
  const rows = [...chatRows(settings), ...providerRows(providers), ...serverRows(settings)]
  io.stdout.write(renderColumns(['SETTING', 'VALUE', 'FROM'], rows, screenOf(io.stdout, environment).style))
  for (const notice of settings.notices) tell(io.stderr, `parley: ${notice}`)
  return EXIT.done
}

const DEFAULT = 'default'

function chatRows({ chat, sources }: Settings): readonly (readonly string[])[] {
  return Object.entries(chat).map(([key, value]) => {
    const name = `chat.${key}`
    return [name, valueText(value), sources[name] ?? DEFAULT]
  })
}

function valueText(value: Settings['chat'][keyof Settings['chat']]): string {
  if (value === undefined) return 'not set'
  if (typeof value !== 'object') return String(value)
  return value.length === 0 ? 'none' : value.join(', ')
}

const providerRows = (providers: readonly ConfiguredProvider[]) =>
  providers.map((provider) => {
    const { name, kind, baseUrl, source } = provider
    const value = [kind, ...(baseUrl === undefined ? [] : [baseUrl]), providerState(provider)].join(', ')
    return [`providers.${name}`, value, source]
  })

const serverRows = ({ mcp_servers, sources }: Settings) =>
  Object.entries(mcp_servers).map(([name, server]) => {
    const key = `mcp_servers.${name}`
    return [key, describeMcpServer(name, server), sources[key] ?? DEFAULT]
  })

function toJson(settings: Settings, providers: readonly ConfiguredProvider[]) {
  const { chat, mcp_servers, sources, files, ignored } = settings
  return {
    chat: Object.fromEntries(
      Object.entries(chat).map(([key, value]) => [
        key,
        { value: value ?? null, source: sources[`chat.${key}`] ?? DEFAULT },
      ]),
    ),
    providers: providers.map(({ apiKey, ...known }) => ({ ...known, hasKey: apiKey !== undefined })),
    mcp_servers,
    files,
    ignored,
  }
}
