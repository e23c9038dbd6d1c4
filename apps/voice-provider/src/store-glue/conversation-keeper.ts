import type { Body, NewDelivery, ProviderStore } from '@parley/postgres'
import type { ConversationHost } from '../conversation/conversation-host.ts'
import type { ConversationRecord } from '../conversation/conversation-record.ts'

/** What is to be told of a conversation that has ended. */
export type DeliveriesOf = (
  record: ConversationRecord,
  audio: Uint8Array | undefined,
) => Promise<readonly NewDelivery[]>

/** Keeps conversations: the first word of one opens it, and one that was removed meanwhile stays removed. */
export function conversationKeeper(
  { conversations }: Pick<ProviderStore, 'conversations'>,
  deliveriesOf: DeliveriesOf,
): Pick<ConversationHost, 'save' | 'finish'> {
  const open = new Set<string>()

  const opened = async (record: ConversationRecord) => {
    if (open.has(record.conversation_id)) return false
    open.add(record.conversation_id)
    await conversations.open(stateOf(record))
    return true
  }

  return {
    async save(record) {
      if (!(await opened(record))) await conversations.save(stateOf(record))
    },
    async finish(record, audio) {
      try {
        await opened(record)
        const deliveries = await deliveriesOf(record, audio)
        await conversations.finish(stateOf(record), { ...(audio && { audio }), deliveries })
      } finally {
        open.delete(record.conversation_id)
      }
    },
  }
}

const stateOf = (record: ConversationRecord) => ({
  id: record.conversation_id,
  agentId: record.agent_id,
  // A text of the database holds no U+0000; the body, where it is escaped, does.
  ...(record.user_id !== null && { userId: record.user_id.replaceAll('\0', '') }),
  status: record.status,
  body: record as unknown as Body,
})
