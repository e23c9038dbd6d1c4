import { readFile } from 'node:fs/promises'
import { Agent, PlatformError, WrittenAgent } from '@parley/contracts'
import { findAgentInputProblems, parseStrictYaml } from '@parley/engine'
import { findSecretProblems } from '../config/config-findings.ts'
import { decodeText, describeReadFailure } from '../io.ts'

const MAX_LENGTH = 1_000_000

/** Reads an `.agent.yaml` file; errors name line and column. */
export async function readAgentFile(file: string, check: AgentCheck = () => []): Promise<Agent> {
  return parseStrictYaml(await readText(file), {
    file,
    schema: Agent,
    longest: MAX_LENGTH,
    check: (agent) => [
      ...findSecretProblems(agent),
      ...(WrittenAgent.safeParse(agent).error?.issues ?? []),
      ...findAgentInputProblems(agent),
      ...check(agent),
    ],
  })
}

type AgentCheck = NonNullable<Parameters<typeof parseStrictYaml<Agent>>[1]['check']>

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    const message = describeReadFailure(file, cause, 'agent file')
    throw new PlatformError('agent_not_found', { message, file }, { cause })
  })
  const text = decodeText(bytes)
  if (text !== undefined) return text
  const message = `${file}:1:1: it is not UTF-8 text`
  throw new PlatformError('config_invalid', { line: 1, column: 1, path: '', file, message })
}
