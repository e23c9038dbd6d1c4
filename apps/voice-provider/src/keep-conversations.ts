import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Body, NewDelivery, ProviderStore } from '@parley/postgres'
import type { Agents } from './agents/agents.ts'
import { Webhooks } from './agents/platform-settings.ts'
import type { ConversationHost, ConversationRecord } from './conversation/conversation-record.ts'
import { unixSeconds } from './documents.ts'
import type { Faults } from './faults.ts'
import { repeat } from './repeat.ts'
import { isDisabled, toWebhook } from './webhooks/deliver.ts'

/** Returns the webhook deliveries for an ended conversation. */
export type CreateDeliveries = (
  record: ConversationRecord,
  audio: Uint8Array | undefined,
) => Promise<readonly NewDelivery[]>

/** Stores conversations. The first save creates the row; a row that was deleted since is not created again. */
export function createConversationKeeper(
  { conversations }: Pick<ProviderStore, 'conversations'>,
  createDeliveries: CreateDeliveries,
): Pick<ConversationHost, 'save' | 'finish'> {
  const open = new Set<string>()

  const openOnce = async (record: ConversationRecord) => {
    if (open.has(record.conversation_id)) return false
    open.add(record.conversation_id)
    await conversations.open(toStoredState(record))
    return true
  }

  return {
    async save(record) {
      if (!(await openOnce(record))) await conversations.save(toStoredState(record))
    },
    async finish(record, audio) {
      try {
        await openOnce(record)
        const deliveries = await createDeliveries(record, audio)
        await conversations.finish(toStoredState(record), { ...(audio && { audio }), deliveries })
      } finally {
        open.delete(record.conversation_id)
      }
    },
  }
}

const toStoredState = (record: ConversationRecord) => ({
  id: record.conversation_id,
  agentId: record.agent_id,
  // PostgreSQL text cannot contain U+0000; the JSON body escapes it.
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

/** Creates the webhook deliveries for ended conversations. */
export function deliveryFactory({
  agents,
  store: { documents },
  faults,
  now,
}: DeliveriesHost): CreateDeliveries {
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
    if (!webhook || isDisabled(toWebhook(webhook.body))) return []
    const at = now()
    const selected = [
      ...(events.includes('transcript') ? [transcriptEvent(record)] : []),
      ...(events.includes('audio') && audio ? [audioEvent(record)] : []),
    ]
    return selected.flatMap((event) => {
      const body = JSON.stringify({ ...event, event_timestamp: unixSeconds(at) })
      return applyFaults({ webhookId: webhook.id, body }, faults, at)
    })
  }
}

type Settings = z.infer<typeof Webhooks>

const transcriptEvent = (record: ConversationRecord) => ({ type: 'post_call_transcription', data: record })

/** The audio is stored with the conversation and added when the event is sent. */
const audioEvent = ({ agent_id, conversation_id }: ConversationRecord) => ({
  type: 'post_call_audio',
  data: { agent_id, conversation_id },
})

/** Applies fault rules: delays or duplicates the delivery. */
function applyFaults(delivery: NewDelivery, faults: Faults, now: number): readonly NewDelivery[] {
  const fault = faults.take('webhook')
  const dueAt = fault?.webhookDelayMs === undefined ? undefined : new Date(now + fault.webhookDelayMs)
  const due = { ...delivery, ...(dueAt && { dueAt }) }
  return fault?.webhookTwice ? [due, due] : [due]
}

const SWEEP_INTERVAL_MS = 5_000

interface FailDeadHost {
  readonly store: Pick<ProviderStore, 'conversations'>
  readonly createDeliveries: CreateDeliveries
  readonly onFailed: () => void
  readonly logger: Logger
}

/** Periodically marks conversations of dead processes as failed, and notifies the webhooks. */
export function failDeadConversations(host: FailDeadHost) {
  const { store, createDeliveries, onFailed, logger } = host
  const sweep = async () => {
    const failed = await store.conversations.failDead(async (body) => {
      const failedBody = toFailedBody(body)
      const record = failedBody as unknown as ConversationRecord
      return { body: failedBody, deliveries: await createDeliveries(record, undefined) }
    })
    if (failed.length === 0) return
    logger.warn({ failed }, 'failed conversations whose process died')
    onFailed()
  }
  return repeat(sweep, SWEEP_INTERVAL_MS, (err) =>
    logger.warn({ err }, 'could not look for conversations whose process died'),
  )
}

const toFailedBody = (body: Body): Body => ({
  ...body,
  status: 'failed',
  metadata: {
    ...(body['metadata'] as Body),
    termination_reason: 'The provider stopped',
    error: { code: 1011, reason: 'The process that held the conversation died' },
  },
})
