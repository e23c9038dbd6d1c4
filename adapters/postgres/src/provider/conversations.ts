import { type Run, type Transact, hasRows, ignoreRows, findFirst } from '../run-statements.ts'
import type {
  JsonBody,
  ConversationState,
  ConversationStore,
  NewWebhookDelivery,
  StoredConversation,
} from './provider-store.ts'
import { toKeyCursor, parseKeyCursor, toPage } from '../pages.ts'
import { type RowOf, toRecord } from '../records.ts'
import { statement } from '../statement.ts'

export interface ConversationsHost {
  readonly run: Run
  readonly transact: Transact
  /** The key of the lock that shows that this process is alive. */
  readonly holder: string
}

export function postgresConversations({ run, transact, holder }: ConversationsHost): ConversationStore {
  return {
    open: (state) => ignoreRows(run(OPEN, [...toColumnValues(state), holder])),

    save: (state) => ignoreRows(run(SAVE, [...toColumnValues(state), holder])),

    finish: (state, { audio, deliveries = [] }) =>
      transact(async (execute) => {
        const finished = await execute(FINISH, [...toColumnValues(state), audio ? Buffer.from(audio) : null])
        if (finished.length === 0) return
        await addDeliveries(execute, state.id, deliveries)
      }),

    get: (id) => findFirst(run<ConversationRow>(GET, [id]), toConversation),

    async list(page) {
      const { limit, cursor, agentId, userId, callSuccessful, startedAfter, startedBefore } = page
      const [at, id] = cursor === undefined ? ['infinity', ''] : parseKeyCursor(cursor)
      const rows = await run<ConversationRow>(LIST, [
        limit + 1,
        at,
        id,
        agentId,
        userId,
        callSuccessful,
        startedAfter,
        startedBefore,
      ])
      return toPage(page, rows, toConversation, (last) => toKeyCursor(last.started_at.toISOString(), last.id))
    },

    async readAudio(id) {
      const [row] = await run<{ audio: Buffer | null }>(AUDIO, [id])
      return row?.audio ?? undefined
    },

    rate: (id, feedback) => hasRows(run(RATE, [id, JSON.stringify(feedback)])),

    remove: (id) => hasRows(run(REMOVE, [id])),

    async failDead(endOf) {
      const failed: string[] = []
      for (const other of await run<{ holder: string }>(HOLDERS, [holder])) {
        failed.push(...(await failConversationsOfHolder(transact, other.holder, endOf)))
      }
      return failed
    },
  }
}

/** A free lock means that its process is gone. It is kept until all its conversations are written. */
const failConversationsOfHolder = (
  transact: Transact,
  dead: string,
  endOf: Parameters<ConversationStore['failDead']>[0],
) =>
  transact(async (run) => {
    const [lock] = await run<{ had: boolean }>(TRY_LOCK, [dead])
    if (!lock?.had) return []
    const rows = await run<{ id: string; body: JsonBody }>(FIND_BY_HOLDER, [dead])
    for (const row of rows) {
      const { body, deliveries = [] } = await endOf(row.body)
      await run(FAIL, [row.id, JSON.stringify(body)])
      await addDeliveries(run, row.id, deliveries)
    }
    return rows.map(({ id }) => id)
  })

async function addDeliveries(run: Run, id: string, deliveries: readonly NewWebhookDelivery[]): Promise<void> {
  for (const { webhookId, body, dueAt } of deliveries) await run(ENQUEUE, [webhookId, id, body, dueAt])
}

const toColumnValues = ({ id, agentId, userId, status, body }: ConversationState) => [
  id,
  agentId,
  userId,
  status,
  JSON.stringify(body),
]

type ConversationFields = Omit<StoredConversation, 'startedAt'>
type ConversationRow = RowOf<ConversationFields> & { readonly started_at: Date }

const toConversation = ({ started_at: startedAt, ...row }: ConversationRow): StoredConversation => ({
  ...toRecord<ConversationFields>(row),
  startedAt,
})

const COLUMNS = 'id, agent_id, user_id, status, body, feedback, started_at'

const OPEN = statement(`insert into provider.conversations (id, agent_id, user_id, status, body, holder)
  values ($1, $2, $3, $4, $5, $6)`)

// A process that only lost its connection takes its conversation back.
const SAVE = statement(`
  update provider.conversations set agent_id = $2, user_id = $3, status = $4, body = $5, holder = $6
  where id = $1`)

const FINISH = statement(`update provider.conversations
  set agent_id = $2, user_id = $3, status = $4, body = $5, audio = $6, holder = null where id = $1 returning id`)

const ENQUEUE = statement(`insert into provider.deliveries (webhook_id, conversation_id, body, next_at)
  values ($1, $2, $3, coalesce($4, clock_timestamp()))`)

const GET = statement(`select ${COLUMNS} from provider.conversations where id = $1`)

const LIST = statement(`select ${COLUMNS} from provider.conversations
  where (started_at, id) < ($2::timestamptz, $3) and ($4::text is null or agent_id = $4)
    and ($5::text is null or user_id = $5)
    and ($6::text is null or coalesce(body->'analysis'->>'call_successful', 'unknown') = $6)
    and ($7::timestamptz is null or started_at >= $7) and ($8::timestamptz is null or started_at <= $8)
  order by started_at desc, id desc limit $1`)

const AUDIO = statement('select audio from provider.conversations where id = $1')

const RATE = statement('update provider.conversations set feedback = $2 where id = $1 returning id')

const REMOVE = statement(`with told as (delete from provider.deliveries where conversation_id = $1),
    files as (delete from provider.documents where parent_id = $1)
  delete from provider.conversations where id = $1 returning id`)

const HOLDERS = statement('select distinct holder from provider.conversations where holder <> $1')

const TRY_LOCK = statement('select pg_try_advisory_xact_lock($1) as had')

const FIND_BY_HOLDER = statement('select id, body from provider.conversations where holder = $1 for update')

const FAIL = statement(`
  update provider.conversations set status = 'failed', body = $2, holder = null where id = $1`)
