import type { NewWebhookDelivery, ProviderStore } from '@parley/postgres'

/** Stores an ended conversation with its deliveries. */
export async function storeFinishedConversation(
  { conversations }: Pick<ProviderStore, 'conversations'>,
  id: string,
  deliveries: readonly NewWebhookDelivery[],
  audio: Uint8Array,
) {
  const state = { id, agentId: 'agent_1', status: 'done', body: {} } as const
  await conversations.open(state)
  await conversations.finish(state, { audio, deliveries })
}

export const createTranscriptDelivery = (conversation_id: string): NewWebhookDelivery => ({
  webhookId: 'webhook_1',
  body: JSON.stringify({ type: 'post_call_transcription', event_timestamp: 1, data: { conversation_id } }),
})
