import { renderColumns } from '../config/render-columns.ts'
import { loadSettings } from '../config/load-settings.ts'
import { providerState } from '../config/provider-state.ts'
import { providersOf } from '../config/providers-of.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { screenOf } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

/** Lists the providers that can be named here; of their keys only whether they are set. */
export async function providers({ io, json }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const settings = await loadSettings(config, { workingDir: process.cwd() })
  const found = providersOf(settings, config)
  if (json) {
    const items = found.map(({ apiKey, ...known }) => ({ ...known, hasKey: apiKey !== undefined }))
    io.stdout.write(jsonLine({ items }))
    return EXIT.done
  }
  const rows = found.map((provider) => [
    provider.name,
    provider.kind,
    provider.baseUrl ?? (provider.kind === 'offline' ? 'this machine' : 'its usual address'),
    providerState(provider),
    provider.source,
  ])
  const head = ['NAME', 'KIND', 'ADDRESS', 'KEY', 'FROM']
  const { style, columns, isTerminal } = screenOf(io.stdout, config)
  const room = { columns, yielding: [head.indexOf('FROM'), head.indexOf('ADDRESS')] }
  io.stdout.write(renderColumns(head, rows, style, isTerminal ? room : undefined))
  for (const notice of settings.notices) tell(io.stderr, `parley: ${notice}`)
  return EXIT.done
}
