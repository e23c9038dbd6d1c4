import { isDeepStrictEqual } from 'node:util'
import {
  type Agent,
  ModelReference,
  PlatformError,
  ToolName,
  findNearest,
  findToolNameProblem,
} from '@parley/contracts'
import { OFFLINE_AGENT } from '../agent/find-agent.ts'
import type { ConfiguredProvider } from '../config/configured-providers.ts'
import { type MergedConfig, splitModel } from '../config/merge-config.ts'

/** The id of an agent that is only a model. */
const PLAIN_ID = 'chat'

/** The chat settings for a model without an agent. */
type PlainSettings = Pick<Agent, 'reasoning_effort' | 'mcp_servers'>

export function toPlainSettings({
  chat,
  mcp_servers,
}: Pick<MergedConfig, 'chat' | 'mcp_servers'>): PlainSettings {
  const servers = Object.keys(mcp_servers)
  return { reasoning_effort: chat.reasoning_effort, ...(servers.length > 0 && { mcp_servers: servers }) }
}

/**
 * The agent for a model name such as `anthropic/claude-sonnet-4-5`. It has every tool; the policy limits them.
 */
export function createModelAgent(reference: string, { reasoning_effort, mcp_servers }: PlainSettings): Agent {
  const { provider, model } = splitModel(reference)
  if (provider === OFFLINE_AGENT.provider) return { ...OFFLINE_AGENT, model }
  return {
    id: PLAIN_ID,
    name: model,
    provider,
    model,
    system_prompt: '',
    ...(reasoning_effort && { reasoning_effort }),
    tools: [...ToolName.options],
    ...(mcp_servers && { mcp_servers }),
  }
}

/** The same agent with another model. */
export function changeModel(agent: Agent, reference: string, settings: PlainSettings): Agent {
  const plain = createModelAgent(`${agent.provider}/${agent.model}`, agent)
  if (isDeepStrictEqual(agent, plain)) return createModelAgent(reference, settings)
  return { ...agent, ...splitModel(reference) }
}

/** Parses a model name, or throws. */
export function parseModel(given: string, providers: readonly Pick<ConfiguredProvider, 'name'>[]): string {
  const parsed = ModelReference.safeParse(given)
  if (parsed.success) return parsed.data
  const names = providers.map(({ name }) => name)
  const [first = 'offline'] = names
  const isProvider = names.includes(given)
  throw new PlatformError('validation', {
    message: isProvider
      ? `"${given}" is a provider; add one of its models.`
      : `"${given}" is not a model name: write provider/model.`,
    fix: isProvider
      ? `\`parley providers models ${given}\` lists them; write it as ${given}/MODEL.`
      : `As in ${findNearest(given, names) ?? first}/MODEL. \`parley providers models\` lists them.`,
    given,
  })
}

/** Parses `--tools`: `none`, or a comma-separated list. */
export function parseTools(given: string | undefined): readonly string[] | undefined {
  if (given === undefined) return undefined
  if (given.trim() === 'none') return []
  const names = given.split(',').map((name) => name.trim())
  const unknown = names.find((name) => findToolNameProblem(name) !== undefined)
  if (unknown === undefined) return names
  throw new PlatformError('validation', {
    message: `In --tools ${findToolNameProblem(unknown)?.replace(/[^?]$/, '$&.')}`,
    fix: 'Separate the names with commas, or write none.',
    given: unknown,
  })
}

interface ToolRequest {
  readonly agent: Agent
  readonly requested: readonly string[] | undefined
  readonly settings: Pick<MergedConfig, 'chat' | 'web_search'>
  readonly ownFile: string
}

/** Notices about requested tools that are not available. */
export function listToolNotices({
  agent,
  requested = [],
  settings,
  ownFile,
}: ToolRequest): readonly string[] {
  const usable = listUsableTools(agent, settings)
  const unusable = requested.filter((tool) => !usable.includes(tool))
  const notices = unusable.map((tool) => {
    const need = NEEDS.get(tool)?.what
    return agent.tools?.includes(tool) && need !== undefined
      ? `${tool} needs ${need} in your config: ${ownFile}`
      : `The agent "${agent.id}" does not have ${tool}; --tools cannot add tools.`
  })
  const isEmpty = requested.length > 0 && unusable.length === requested.length
  return isEmpty ? [...notices, `This leaves the agent "${agent.id}" without tools.`] : notices
}

type ToolSettings = Pick<MergedConfig, 'chat' | 'web_search'>

/** The tools an agent can use: some need a setting. */
export const listUsableTools = (
  agent: Pick<Agent, 'tools' | 'mcp_servers'>,
  settings: ToolSettings,
): readonly string[] => (agent.tools ?? []).filter((tool) => NEEDS.get(tool)?.isMet(settings, agent) ?? true)

interface ToolNeed {
  /** The setting that a tool needs. */
  readonly what: string
  readonly isMet: (settings: ToolSettings, agent: Pick<Agent, 'mcp_servers'>) => boolean
}

const NEEDS: ReadonlyMap<string, ToolNeed> = new Map<string, ToolNeed>([
  [
    'run_command',
    {
      what: 'allowed_commands under [chat]',
      isMet: ({ chat }) => chat.allowed_commands.length + chat.allowed_command_globs.length > 0,
    },
  ],
  [
    'http_request',
    { what: 'allowed_domains under [chat]', isMet: ({ chat }) => chat.allowed_domains.length > 0 },
  ],
  ['web_search', { what: '[web_search]', isMet: ({ web_search }) => web_search !== undefined }],
  ['mcp_call', { what: '[mcp_servers.NAME]', isMet: (_, { mcp_servers = [] }) => mcp_servers.length > 0 }],
])
