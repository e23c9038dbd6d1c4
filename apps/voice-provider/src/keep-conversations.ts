import type { Logger } from 'pino'
import type { z } from 'zod'
import type { JsonBody, NewWebhookDelivery, ProviderStore } from '@parley/postgres'
import type { AgentStore } from './agents/agent-store.ts'
import { Webhooks } from './agents/platform-settings.ts'
import type { ConversationHost, ConversationDocument } from './conversation/conversation-document.ts'
import { toUnixSeconds } from './documents.ts'
import type { Faults } from './faults.ts'
import { repeatUntilStopped } from './repeat-until-stopped.ts'
import { isDisabled, toWebhook } from './webhooks/deliverer.ts'

/** Returns the webhook deliveries for an ended conversation. */
export type CreateDeliveries = (
  record: ConversationDocument,
  audio: Uint8Array | undefined,
) => Promise<readonly NewWebhookDelivery[]>

/** Stores conversations. The first save creates the row; a row that was deleted since is not created again. */
export function createConversationKeeper(
  { conversations }: Pick<ProviderStore, 'conversations'>,
  createDeliveries: CreateDeliveries,
): Pick<ConversationHost, 'save' | 'finish'> {
  const open = new Set<string>()

  const openOnce = async (record: ConversationDocument) => {
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

const toStoredState = (record: ConversationDocument) => ({
  id: record.conversation_id,
  agentId: record.agent_id,
  // PostgreSQL text cannot contain U+0000; the JSON body escapes it.
  ...(record.user_id !== null && { userId: record.user_id.replaceAll('\0', '') }),
  status: record.status,
  body: record as unknown as JsonBody,
})

interface DeliveriesHost {
  readonly agents: Pick<AgentStore, 'find'>
  readonly store: Pick<ProviderStore, 'documents'>
  readonly faults: Faults
  readonly now: () => number
}

/** Creates the webhook deliveries for ended conversations. */
export function createDeliveryFactory({
  agents,
  store: { documents },
  faults,
  now,
}: DeliveriesHost): CreateDeliveries {
  const loadWebhookSettings = async (agentId: string): Promise<WebhookSettings> => {
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
    const { post_call_webhook_id: webhookId, events = ['transcript'] } = await loadWebhookSettings(
      record.agent_id,
    )
    const webhook = webhookId ? await documents.get('webhook', webhookId) : undefined
    if (!webhook || isDisabled(toWebhook(webhook.body))) return []
    const at = now()
    const selected = [
      ...(events.includes('transcript') ? [toTranscriptEvent(record)] : []),
      ...(events.includes('audio') && audio ? [toAudioEvent(record)] : []),
    ]
    return selected.flatMap((event) => {
      const body = JSON.stringify({ ...event, event_timestamp: toUnixSeconds(at) })
      return applyFaults({ webhookId: webhook.id, body }, faults, at)
    })
  }
}

type WebhookSettings = z.infer<typeof Webhooks>

const toTranscriptEvent = (record: ConversationDocument) => ({
  type: 'post_call_transcription',
  data: record,
})

/** The audio is stored with the conversation and added when the event is sent. */
const toAudioEvent = ({ agent_id, conversation_id }: ConversationDocument) => ({
  type: 'post_call_audio',
  data: { agent_id, conversation_id },
})

/** Applies fault rules: delays or duplicates the delivery. */
function applyFaults(
  delivery: NewWebhookDelivery,
  faults: Faults,
  now: number,
): readonly NewWebhookDelivery[] {
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
      const record = failedBody as unknown as ConversationDocument
      return { body: failedBody, deliveries: await createDeliveries(record, undefined) }
    })
    if (failed.length === 0) return
    logger.warn({ failed }, 'failed conversations whose process died')
    onFailed()
  }
  return repeatUntilStopped(sweep, SWEEP_INTERVAL_MS, (err) =>
    logger.warn({ err }, 'could not look for conversations whose process died'),
  )
}

const toFailedBody = (body: JsonBody): JsonBody => ({
  ...body,
  status: 'failed',
  metadata: {
    ...(body['metadata'] as JsonBody),
    termination_reason: 'The provider stopped',
    error: { code: 1011, reason: 'The process that held the conversation died' },
  },
})
