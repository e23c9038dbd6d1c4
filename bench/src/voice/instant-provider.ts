import type { VoiceProvider } from '@parley/reflections'

/** A voice provider that answers at once, so that only our part of a start is measured. */
export function instantProvider(): VoiceProvider {
  let made = 0
  const next = (what: string) => `${what}_${(made += 1)}`
  return {
    createAgent: async () => next('agent'),
    updateAgent: async () => ({ kind: 'updated' }),
    readAgent: async (agentId) => ({
      kind: 'agent_not_usable',
      agentId,
      status: 404,
      reason: 'it is not kept',
    }),
    removeAgent: async () => {},
    listAgents: async () => [],
    async getSignedUrl() {
      const providerConversationId = next('conv')
      return {
        kind: 'signed_url',
        signedUrl: `wss://127.0.0.1/${providerConversationId}`,
        providerConversationId,
        expiresAt: new Date(Date.now() + 900_000).toISOString(),
      }
    },
    getConversationToken: none,
    readConversation: none,
    listConversations: none,
    endConversation: async () => {},
    removeConversation: async () => {},
    readTool: none,
    findSecret: none,
    ensureTool: async () => next('tool'),
    removeTool: async () => {},
    ensureSecret: async () => next('secret'),
    ensureWebhook: async () => ({ webhookId: 'webhook_one' }),
    listVoices: async () => [],
    ensureTest: none,
    removeTests: async () => {},
    runTests: none,
  }
}

const none = () => Promise.reject(new Error('Not used while sessions start'))
