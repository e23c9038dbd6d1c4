import { isDeepStrictEqual } from 'node:util'
import { type Agent, ModelReference, PlatformError, ToolName, nearest, unknownTool } from '@parley/contracts'
import type { SessionLimits } from '@parley/engine'
import { OFFLINE_AGENT } from '../agent/find-agent.ts'
import { type Models, loadModels } from '../compose.ts'
import type { Config } from '../config.ts'
import { limitsOf } from '../config/chat-settings.ts'
import { type ConfiguredProvider, providersOf } from '../config/configured-providers.ts'
import { type Settings, loadSettings } from '../config/load-settings.ts'
import { type MergedConfig, splitModel } from '../config/merge-config.ts'
import type { Io } from '../io.ts'
import { tell } from '../render/output.ts'

/** What the conversations of this machine answer with. */
export interface Setup {
  readonly settings: Settings
  readonly providers: readonly ConfiguredProvider[]
  readonly models: Models
  readonly limits: Partial<SessionLimits>
}

/** By the settings that hold in this folder; what a project asks for in vain is told. */
export async function loadSetup(config: Config, { stderr }: Io): Promise<Setup> {
  const settings = await loadSettings(config, { workingDir: process.cwd() })
  for (const notice of settings.notices) tell(stderr, `parley: ${notice}`)
  const providers = providersOf(settings, config)
  return { settings, providers, models: await loadModels(providers), limits: limitsOf(settings.chat) }
}

/** The id of an agent that is nothing but a model. */
const PLAIN = 'chat'

/** What a model has that is not part of an agent. */
type Plain = Pick<Agent, 'reasoning_effort' | 'mcp_servers'>

export function plainOf({ chat, mcp_servers }: Pick<MergedConfig, 'chat' | 'mcp_servers'>): Plain {
  const servers = Object.keys(mcp_servers)
  return { reasoning_effort: chat.reasoning_effort, ...(servers.length > 0 && { mcp_servers: servers }) }
}

/**
 * The agent that a model's name such as `anthropic/claude-sonnet-4-5` stands for. It may use every tool: what these may
 * do is for the policy to say.
 */
export function modelAgent(reference: string, { reasoning_effort, mcp_servers }: Plain): Agent {
  const { provider, model } = splitModel(reference)
  if (provider === OFFLINE_AGENT.provider) return { ...OFFLINE_AGENT, model }
  return {
    id: PLAIN,
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
export function withModel(agent: Agent, reference: string, plainly: Plain): Agent {
  const plain = modelAgent(`${agent.provider}/${agent.model}`, agent)
  if (isDeepStrictEqual(agent, plain)) return modelAgent(reference, plainly)
  return { ...agent, ...splitModel(reference) }
}

/** Throws where it is not written like the name of a model. */
export function readModel(given: string, providers: readonly Pick<ConfiguredProvider, 'name'>[]): string {
  const parsed = ModelReference.safeParse(given)
  if (parsed.success) return parsed.data
  const names = providers.map(({ name }) => name)
  const [first = 'offline'] = names
  const isProvider = names.includes(given)
  throw new PlatformError('validation', {
    message: isProvider
      ? `"${given}" is a provider; which of its models do you mean?`
      : `"${given}" is not the name of a model: write a provider and its model with a slash between.`,
    mend: isProvider
      ? `\`parley providers models ${given}\` lists them; write it as ${given}/MODEL.`
      : `As in ${nearest(given, names) ?? first}/MODEL. \`parley providers models\` lists what there is.`,
    given,
  })
}

/** What `--tools` names: `none`, or tools with commas between. */
export function readTools(given: string | undefined): readonly string[] | undefined {
  if (given === undefined) return undefined
  if (given.trim() === 'none') return []
  const names = given.split(',').map((name) => name.trim())
  const unknown = names.find((name) => unknownTool(name) !== undefined)
  if (unknown === undefined) return names
  throw new PlatformError('validation', {
    message: `In --tools ${unknownTool(unknown)?.replace(/[^?]$/, '$&.')}`,
    mend: `Known are: ${ToolName.options.join(', ')}; "none" is none of them.`,
    given: unknown,
  })
}

interface Asking {
  readonly agent: Agent
  readonly asked: readonly string[] | undefined
  readonly settings: Pick<MergedConfig, 'chat' | 'web_search'>
  readonly ownFile: string
}

/** What a person is told who asks for tools that they do not get. */
export function toolNotices({ agent, asked = [], settings, ownFile }: Asking): readonly string[] {
  const here = toolsHere(agent, settings)
  const notices = asked
    .filter((tool) => !here.includes(tool))
    .map((tool) => {
      const need = needOf(tool)
      return agent.tools?.includes(tool) && need !== undefined
        ? `There is no ${tool} until your config has ${need}: ${ownFile}`
        : `The agent "${agent.id}" does not have ${tool}; --tools gives an agent none that it does not have.`
    })
  const isNone = asked.length > 0 && asked.every((tool) => !here.includes(tool))
  return isNone ? [...notices, `This leaves the agent "${agent.id}" without tools.`] : notices
}

type Allowing = Pick<MergedConfig, 'chat' | 'web_search'>

/** The tools that an agent can use by these settings: some are there only where something is allowed to them. */
export const toolsHere = (
  agent: Pick<Agent, 'tools' | 'mcp_servers'>,
  settings: Allowing,
): readonly string[] => (agent.tools ?? []).filter((tool) => NEEDS.get(tool)?.isMet(settings, agent) ?? true)

/** What a tool needs of the config to be there at all. */
const needOf = (tool: string): string | undefined => NEEDS.get(tool)?.what

interface Need {
  readonly what: string
  readonly isMet: (settings: Allowing, agent: Pick<Agent, 'mcp_servers'>) => boolean
}

const NEEDS: ReadonlyMap<string, Need> = new Map<string, Need>([
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
