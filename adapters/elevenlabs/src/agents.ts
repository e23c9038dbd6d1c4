import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { HeldAgent, VoiceProvider } from '@parley/reflections'
import { type Caller, agentOutcome, allPages, unlessMissing } from './call/caller.ts'
import { type HeldByVendor, fromVendor, toVendor } from './template-mapping.ts'
import { dateOf, fieldsOf, isEmpty } from './vendor-values.ts'

type Agents = Pick<VoiceProvider, 'createAgent' | 'updateAgent' | 'readAgent' | 'removeAgent' | 'listAgents'>

export const agentsOf = ({ call }: Caller): Agents => ({
  async createAgent(template, signal) {
    const agent = toVendor(template)
    const { agentId } = await call('write', signal, (client, options) =>
      client.conversationalAi.agents.create(agent, options),
    )
    return agentId
  },

  async updateAgent(agentId, template, signal) {
    const agent = toVendor(template)
    const update = async () => {
      await call('write', signal, (client, options) =>
        client.conversationalAi.agents.update(agentId, agent, options),
      )
      return { kind: 'updated' } as const
    }
    return agentOutcome(agentId, update())
  },

  async readAgent(agentId, signal) {
    const read = async () => {
      const held = await call('read', signal, (client, options) =>
        client.conversationalAi.agents.get(agentId, {}, options),
      )
      return { kind: 'held', agentId, template: fromVendor(held), ...beyondTemplate(held) } as const
    }
    return agentOutcome(agentId, read())
  },

  async removeAgent(agentId, signal) {
    await unlessMissing(
      call('write', signal, (client, options) => client.conversationalAi.agents.delete(agentId, options)),
    )
  },

  async listAgents(signal) {
    const agents = await allPages(async (cursor) => {
      const page = await call('read', signal, (client, options) =>
        client.conversationalAi.agents.list({ pageSize: 100, ...cursor }, options),
      )
      return { items: page.agents, ...page }
    })
    return agents.map(({ agentId, name, createdAtUnixSecs }) => ({
      agentId,
      name,
      createdAt: dateOf(createdAtUnixSecs),
    }))
  },
})

type WholeAgent = HeldByVendor &
  Pick<ElevenLabs.GetAgentResponseModel, 'phoneNumbers' | 'procedures' | 'workflow' | 'whatsappAccounts'>

/** What an agent has besides its template: what no template can want, and all else, which the provider's defaults fill. */
function beyondTemplate(held: WholeAgent): Pick<HeldAgent, 'beyond' | 'rest'> {
  const { name, conversationConfig, platformSettings, phoneNumbers, procedures, workflow, whatsappAccounts } =
    held
  const fields = shortened(
    fieldsOf({
      name,
      conversationConfig,
      platformSettings,
      phoneNumbers,
      procedures,
      workflow,
      whatsappAccounts,
    }),
  )
  // What may be overridden is told with the template.
  const template = { ...fromVendor(held), overrides: [] }
  const sent = shortened(fieldsOf(toVendor(template)))
  const altered = Object.keys(sent).filter(
    (path) => !isWithin(path, COMPARED) && path in fields && textOf(sent[path]) !== textOf(fields[path]),
  )
  const beyond = [...addedTo(held), ...altered]
  const everSent = Object.keys(shortened(fieldsOf(toVendor({ ...template, ...withAll(template) }))))
  const other = Object.entries(fields).filter(
    ([path]) => !isWithin(path, [...COMPARED, ...everSent, ...beyond]),
  )
  return { beyond, rest: Object.fromEntries(other) }
}

/** What is compared by itself, and what the provider finds out about an agent. */
const COMPARED = ['overrides', 'prompt.tools', 'safety']

/** With a value for all that may have none. */
const withAll = ({ temperature, endCall, postCallWebhookId }: ReturnType<typeof fromVendor>) => ({
  temperature: temperature ?? 0,
  endCall: endCall ?? { guidance: '-' },
  postCallWebhookId: postCallWebhookId ?? '-',
})

/** What somebody added, by where it stands. */
function addedTo({ conversationConfig, platformSettings, phoneNumbers, procedures }: WholeAgent) {
  const prompt = conversationConfig.agent?.prompt
  const { endCall: _, ...otherTools } = prompt?.builtInTools ?? {}
  const found: Readonly<Record<string, unknown>> = {
    'prompt.mcpServerIds': prompt?.mcpServerIds,
    'prompt.nativeMcpServerIds': prompt?.nativeMcpServerIds,
    'prompt.knowledgeBase': prompt?.knowledgeBase,
    'prompt.customLlm': prompt?.customLlm,
    languagePresets: conversationConfig.languagePresets,
    'auth.shareableToken': platformSettings?.auth?.shareableToken,
    'workspaceOverrides.conversationInitiationClientDataWebhook':
      platformSettings?.workspaceOverrides?.conversationInitiationClientDataWebhook,
    phoneNumbers,
    procedures,
    ...Object.fromEntries(
      Object.entries(otherTools).map(([tool, config]) => [`prompt.builtInTools.${tool}`, config]),
    ),
  }
  return Object.keys(found).filter((path) => !isEmpty(found[path]))
}

type Fields = ReturnType<typeof fieldsOf>

const shortened = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([path, value]) => [path.replace(PARTS, ''), value]))

const PARTS = /^(?:conversationConfig\.(?:agent\.)?|platformSettings\.)/

const isWithin = (path: string, paths: readonly string[]): boolean =>
  paths.some((outer) => path === outer || path.startsWith(`${outer}.`))

const textOf = (value: unknown): string => JSON.stringify(value)
