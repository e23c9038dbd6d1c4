import type { z } from 'zod'
import type { Body, NewDelivery, ProviderStore } from '@parley/postgres'
import type { Agents } from './agents/agents.ts'
import { Webhooks } from './agents/platform-settings.ts'
import type { ConversationHost, ConversationRecord } from './conversation/conversation-record.ts'
import type { Faults } from './faults.ts'
import { isOff, webhookOf } from './webhooks/deliver.ts'

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

interface DeliveriesHost {
  readonly agents: Pick<Agents, 'find'>
  readonly store: Pick<ProviderStore, 'documents'>
  readonly faults: Faults
  readonly now: () => number
}

/** What a webhook is told of a conversation that has ended. */
export function deliveriesOf({ agents, store: { documents }, faults, now }: DeliveriesHost): DeliveriesOf {
  const settingsFor = async (agentId: string): Promise<Settings> => {
    const agent = await agents.find(agentId)
    const own = agent?.platform_settings.workspace_overrides.webhooks
    const { webhooks = {} } = (await documents.get('settings', 'workspace'))?.body ?? {}
    const shared = Webhooks.parse(webhooks)
    return {
      ...shared,
      post_call_webhook_id: own?.post_call_webhook_id ?? shared.post_call_webhook_id,
      events: own?.events ?? shared.events,
    }
  }

  return async (record, audio) => {
    const { post_call_webhook_id: webhookId, events = ['transcript'] } = await settingsFor(record.agent_id)
    const webhook = webhookId ? await documents.get('webhook', webhookId) : undefined
    if (!webhook || isOff(webhookOf(webhook.body))) return []
    const at = now()
    const wanted = [
      ...(events.includes('transcript') ? [transcriptEvent(record)] : []),
      ...(events.includes('audio') && audio ? [audioEvent(record)] : []),
    ]
    return wanted.flatMap((event) => {
      const body = JSON.stringify({ ...event, event_timestamp: Math.floor(at / 1_000) })
      return misbehaving({ webhookId: webhook.id, body }, faults, at)
    })
  }
}

type Settings = z.infer<typeof Webhooks>

const transcriptEvent = (record: ConversationRecord) => ({ type: 'post_call_transcription', data: record })

/** The audio itself is kept with the conversation, and is added when this is sent. */
const audioEvent = ({ agent_id, conversation_id }: ConversationRecord) => ({
  type: 'post_call_audio',
  data: { agent_id, conversation_id },
})

/** Late, or twice, where it was asked for; kept so, since the process may be another by then. */
function misbehaving(delivery: NewDelivery, faults: Faults, now: number): readonly NewDelivery[] {
  const fault = faults.take('webhook')
  const dueAt = fault?.webhookDelayMs === undefined ? undefined : new Date(now + fault.webhookDelayMs)
  const due = { ...delivery, ...(dueAt && { dueAt }) }
  return fault?.webhookTwice ? [due, due] : [due]
}
