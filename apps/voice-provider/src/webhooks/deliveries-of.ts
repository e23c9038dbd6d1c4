import type { NewDelivery, ProviderStore } from '@parley/postgres'
import type { z } from 'zod'
import type { Agents } from '../agents/agents.ts'
import { Webhooks } from '../agents/platform-settings.ts'
import type { ConversationRecord } from '../conversation/conversation-record.ts'
import type { Faults } from '../faults/faults.ts'
import type { DeliveriesOf } from '../store-glue/conversation-keeper.ts'
import { isOff, webhookOf } from './webhook-document.ts'

export interface DeliveriesHost {
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
