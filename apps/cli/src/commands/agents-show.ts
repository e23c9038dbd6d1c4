import { locateAgent, searchFrom } from '../agent/find-agent.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { neutralise } from '../render/neutralise.ts'
import type { CommandCall } from './command.ts'

/** Prints an agent as it would be used, and where it comes from. */
export async function showAgent({ io, json, positionals }: CommandCall): Promise<ExitCode> {
  const [agentRef = ''] = positionals
  const { agent, source, file } = await locateAgent(agentRef, searchFrom(readConfig(io.environment), io))
  if (json) {
    io.stdout.write(jsonLine({ from: file ?? source, agent }))
    return EXIT.done
  }
  const { stringify } = await import('yaml')
  io.stdout.write(neutralise(`# ${file ?? source}\n${stringify(agent)}`))
  return EXIT.done
}
