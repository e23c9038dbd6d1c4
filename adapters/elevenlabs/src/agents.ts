import type { VoiceProvider } from '@parley/reflections'
import { beyondTemplate } from './beyond-template.ts'
import { agentOutcome, unlessMissing } from './call/agent-outcome.ts'
import { allPages } from './call/all-pages.ts'
import type { Caller } from './call/caller.ts'
import { dateOf } from './date-of.ts'
import { fromVendor, toVendor } from './template-mapping.ts'

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
