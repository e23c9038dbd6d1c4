import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import type { HeldAgent, VoiceProvider } from '@parley/reflections'
import { type Caller, agentOutcome, allPages, unlessMissing } from './call/caller.ts'
import { type HeldByVendor, fromVendor, toVendor } from './template-mapping.ts'
import { toIsoDate, flattenFields, isEmpty } from './vendor-values.ts'

type Agents = Pick<VoiceProvider, 'createAgent' | 'updateAgent' | 'readAgent' | 'removeAgent' | 'listAgents'>

export const agentMethods = ({ call }: Caller): Agents => ({
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
      const existing = await call('read', signal, (client, options) =>
        client.conversationalAi.agents.get(agentId, {}, options),
      )
      return { kind: 'held', agentId, template: fromVendor(existing), ...beyondTemplate(existing) } as const
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
      createdAt: toIsoDate(createdAtUnixSecs),
    }))
  },
})

type WholeAgent = HeldByVendor &
  Pick<ElevenLabs.GetAgentResponseModel, 'phoneNumbers' | 'procedures' | 'workflow' | 'whatsappAccounts'>

/** Fields of an agent outside its template: those that no template can set, and the provider's defaults. */
function beyondTemplate(existing: WholeAgent): Pick<HeldAgent, 'beyond' | 'rest'> {
  const { name, conversationConfig, platformSettings, phoneNumbers, procedures, workflow, whatsappAccounts } =
    existing
  const fields = shortened(
    flattenFields({
      name,
      conversationConfig,
      platformSettings,
      phoneNumbers,
      procedures,
      workflow,
      whatsappAccounts,
    }),
  )
  // Overrides are compared as part of the template.
  const template = { ...fromVendor(existing), overrides: [] }
  const sent = shortened(flattenFields(toVendor(template)))
  const altered = Object.keys(sent).filter(
    (path) => !isWithin(path, COMPARED) && path in fields && textOf(sent[path]) !== textOf(fields[path]),
  )
  const beyond = [...findAdditions(existing), ...altered]
  const everSent = Object.keys(shortened(flattenFields(toVendor({ ...template, ...fillOptional(template) }))))
  const other = Object.entries(fields).filter(
    ([path]) => !isWithin(path, [...COMPARED, ...everSent, ...beyond]),
  )
  return { beyond, rest: Object.fromEntries(other) }
}

/** Compared elsewhere, or computed by the provider. */
const COMPARED = ['overrides', 'prompt.tools', 'safety']

/** Sets every optional field. */
const fillOptional = ({ temperature, endCall, postCallWebhookId }: ReturnType<typeof fromVendor>) => ({
  temperature: temperature ?? 0,
  endCall: endCall ?? { guidance: '-' },
  postCallWebhookId: postCallWebhookId ?? '-',
})

/** Paths of additions that templates never make. */
function findAdditions({ conversationConfig, platformSettings, phoneNumbers, procedures }: WholeAgent) {
  const prompt = conversationConfig.agent?.prompt
  const { endCall: _, ...otherTools } = prompt?.builtInTools ?? {}
  const additions: Readonly<Record<string, unknown>> = {
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
  return Object.keys(additions).filter((path) => !isEmpty(additions[path]))
}

type Fields = ReturnType<typeof flattenFields>

const shortened = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([path, value]) => [path.replace(PARTS, ''), value]))

const PARTS = /^(?:conversationConfig\.(?:agent\.)?|platformSettings\.)/

const isWithin = (path: string, paths: readonly string[]): boolean =>
  paths.some((outer) => path === outer || path.startsWith(`${outer}.`))

const textOf = (value: unknown): string => JSON.stringify(value)
