import { readFile } from 'node:fs/promises'
import { Agent, PlatformError } from '@parley/contracts'
import { parseStrictYaml } from '@parley/engine'
import { decodeText } from '../message/decode-text.ts'
import { isKnownTool, noSuchTool } from './known-tools.ts'

const LONGEST = 1_000_000

/** The agent that an `.agent.yaml` file holds; what is wrong with it is told by line and column. */
export async function readAgentFile(file: string, check: Check = () => []): Promise<Agent> {
  return parseStrictYaml(await readText(file), {
    file,
    schema: Agent,
    longest: LONGEST,
    check: (agent) => [...unknownTools(agent), ...check(agent)],
  })
}

/** What else is asked of an agent. */
type Check = NonNullable<Parameters<typeof parseStrictYaml<Agent>>[1]['check']>

/** A misspelt tool would be one that the agent silently does not have. */
const unknownTools = ({ tools = [] }: Agent) =>
  tools.flatMap((name, index) =>
    isKnownTool(name) ? [] : [{ path: ['tools', index], message: noSuchTool(name) }],
  )

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'ENOENT' ? 'There is no agent file' : `Cannot read (${cause.code}) the agent file`
    throw new PlatformError('agent_not_found', { message: `${why} ${file}.`, file }, { cause })
  })
  const text = decodeText(bytes)
  if (text !== undefined) return text
  const message = `${file}:1:1: it is not UTF-8 text`
  throw new PlatformError('config_invalid', { line: 1, column: 1, path: '', file, message })
}
