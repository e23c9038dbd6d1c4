import type { Body, ProviderStore } from '@parley/postgres'
import type { Logger } from 'pino'
import type { ConversationRecord } from '../conversation/conversation-record.ts'
import type { DeliveriesOf } from './conversation-keeper.ts'

const EVERY_MS = 5_000

interface FailDeadHost {
  readonly store: Pick<ProviderStore, 'conversations'>
  readonly deliveriesOf: DeliveriesOf
  readonly onFailed: () => void
  readonly logger: Logger
}

/** Fails, again and again, the conversations whose process died, and lets the webhooks know. */
export function failDead({ store: { conversations }, deliveriesOf, onFailed, logger }: FailDeadHost) {
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> | undefined
  let stopped = false

  const sweep = async () => {
    try {
      const failed = await conversations.failDead(async (body) => {
        const failedBody = bodyOfFailed(body)
        const record = failedBody as unknown as ConversationRecord
        return { body: failedBody, deliveries: await deliveriesOf(record, undefined) }
      })
      if (failed.length > 0) logger.warn({ failed }, 'failed conversations whose process died')
      if (failed.length > 0) onFailed()
    } catch (err) {
      logger.warn({ err }, 'could not look for conversations whose process died')
    }
    if (!stopped) timer = setTimeout(start, EVERY_MS).unref()
  }
  const start = () => {
    sweeping = sweep()
  }

  start()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await sweeping
    },
  }
}

const bodyOfFailed = (body: Body): Body => ({
  ...body,
  status: 'failed',
  metadata: {
    ...(body['metadata'] as Body),
    termination_reason: 'The provider stopped',
    error: { code: 1011, reason: 'The process that held the conversation died' },
  },
})
