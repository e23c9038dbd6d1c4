import type { Run } from '../queries.ts'
import type { DeliveryStore } from './provider-store.ts'

export function postgresDeliveries(run: Run): DeliveryStore {
  return {
    async claim(limit, holdMs) {
      const rows = await run<Row>(CLAIM, [limit, holdMs])
      return rows.map((row) => ({
        id: row.id,
        webhookId: row.webhook_id,
        conversationId: row.conversation_id,
        body: row.body,
        attempt: row.attempts,
      }))
    },

    async putOff(id, until) {
      await run(PUT_OFF, [id, until])
    },

    async remove(id) {
      await run(REMOVE, [id])
    },
  }
}

interface Row {
  readonly id: string
  readonly webhook_id: string
  readonly conversation_id: string
  readonly body: string
  readonly attempts: number
}

const CLAIM = {
  name: 'claim_deliveries',
  text: `with due as (
      select id from provider.deliveries where next_at <= clock_timestamp()
      order by next_at, id limit $1 for update skip locked
    )
    update provider.deliveries d
    set attempts = d.attempts + 1, next_at = clock_timestamp() + $2 * interval '1 millisecond'
    from due where d.id = due.id
    returning d.id, d.webhook_id, d.conversation_id, d.body, d.attempts`,
}

const PUT_OFF = {
  name: 'put_off_delivery',
  text: 'update provider.deliveries set next_at = $2 where id = $1',
}

const REMOVE = { name: 'remove_delivery', text: 'delete from provider.deliveries where id = $1' }
