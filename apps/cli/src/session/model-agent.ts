import { isDeepStrictEqual } from 'node:util'
import { type Agent, ModelReference, nearest, PlatformError, ToolName } from '@parley/contracts'
import { OFFLINE_AGENT } from '../agent/offline-agent.ts'
import type { MergedConfig } from '../config/merge-config.ts'
import type { ConfiguredProvider } from '../config/providers-of.ts'
import { splitModel } from '../config/split-model.ts'

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
