import type { NewDelivery, ProviderStore } from '@parley/postgres'

/** Stores an ended conversation with its deliveries. */
export async function finish(
  { conversations }: Pick<ProviderStore, 'conversations'>,
  id: string,
  deliveries: readonly NewDelivery[],
  audio: Uint8Array,
) {
  const state = { id, agentId: 'agent_1', status: 'done', body: {} } as const
  await conversations.open(state)
  await conversations.finish(state, { audio, deliveries })
}

export const transcriptOf = (conversation_id: string): NewDelivery => ({
  webhookId: 'webhook_1',
  body: JSON.stringify({ type: 'post_call_transcription', event_timestamp: 1, data: { conversation_id } }),
})
