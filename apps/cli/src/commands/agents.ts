import { type FoundAgent, listAgents } from '../agent/list-agents.ts'
import { providerOfAgent } from '../agent/provider-of-agent.ts'
import { renderColumns } from '../config/render-columns.ts'
import { loadSettings } from '../config/load-settings.ts'
import { providersOf } from '../config/providers-of.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { screenOf } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

/** Lists the agents that can be named by their id here. */
export async function agents({ io, json }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const settings = await loadSettings(config, { workingDir: process.cwd() })
  const providers = providersOf(settings, config)
  const { agents: found, broken } = await listAgents({ home: config.home, project: settings.project })
  if (json) {
    const items = found.map((one) => ({ ...toJson(one), ...providerOfAgent(one.agent, providers) }))
    const unread = broken.map(({ file, failure }) => ({ file, message: failure.message }))
    io.stdout.write(jsonLine({ items, broken: unread }))
    return EXIT.done
  }
  const rows = found
    .filter(({ hiddenBy }) => hiddenBy === undefined)
    .map(({ agent, source, file }) => [
      agent.id,
      `${agent.provider}/${agent.model}`,
      providerOfAgent(agent, providers).state,
      file ?? source,
    ])
  io.stdout.write(renderColumns(['ID', 'MODEL', 'PROVIDER', 'FROM'], rows, screenOf(io.stdout, config).style))
  for (const notice of noticesOf(found)) tell(io.stderr, `parley: ${notice}`)
  for (const { file } of broken) {
    tell(io.stderr, `parley: ${file} holds no agent. \`parley agents check\` says why.`)
  }
  return EXIT.done
}

const toJson = ({ agent, source, file, needsTrust, hiddenBy }: FoundAgent) => ({
  id: agent.id,
  name: agent.name,
  provider: agent.provider,
  model: agent.model,
  source,
  file,
  needsTrust,
  hiddenBy,
})

const noticesOf = (found: readonly FoundAgent[]): readonly string[] =>
  found.flatMap(({ agent, file, hiddenBy, needsTrust }) => [
    ...(hiddenBy === undefined ? [] : [`"${agent.id}" of ${file} is hidden by that of ${hiddenBy}.`]),
    ...(needsTrust.length === 0
      ? []
      : [`"${agent.id}" does not get ${needsTrust.join(', ')} until you trust it: parley trust ${file}`]),
  ])
