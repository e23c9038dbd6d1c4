import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'
import type { Client, ClientConfig } from 'pg'
import { toPlatformError } from './login/database-error.ts'
import { GuardedClient, SET_KEEPALIVES, createLockKey } from './login/guarded-client.ts'
import { statement } from './statement.ts'

/**
 * Shows other processes that this one is alive: a dedicated connection holds an advisory lock under a random key. Postgres
 * releases the lock when the connection ends, so a free lock means that its holder is gone; the key stays in a table, so
 * that others can check it. After a lost connection the process takes the same key again and keeps its turns, unless
 * their epoch shows that another process took them over.
 * The same connection carries notices between the processes. They are hints: every login can send and read them.
 */
export interface Presence {
  /** Waits until the lock is held. Returns its key. */
  ensureKey(): Promise<string>
  /** Milliseconds since the connection came back; infinite if it was never lost. */
  msSinceReturn(): number
  /** Sends a notice to all processes including this one, in the order of the calls; lost without a connection. */
  notify(notice: string): void
  /** Resolves once everything is sent, or lost. */
  waitUntilSent(): Promise<void>
  /** Receives every notice, and every reconnection, before which notices may be lost. */
  listen(listener: PresenceListener): void
  close(): Promise<void>
}

export interface PresenceListener {
  readonly onNotice?: (notice: string) => void
  readonly onReturn?: () => void
}

const RETRY_MS = 100

const HOLD = `${SET_KEEPALIVES}, pg_advisory_lock($1)`

/** Ends our earlier connection, which would keep the lock for another half minute if only we lost it. */
const END_EARLIER = `select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and objsubid = 1 and mode = 'ExclusiveLock' and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) | objid::bigint = $1`

const CHANNEL = 'parley'

const NOTIFY = statement(`
  select pg_notify('${CHANNEL}', notice) from unnest($1::text[]) with ordinality as given (notice, place)
  order by place`)

const MAX_NOTICES_PER_BATCH = 500

export interface PresenceHost {
  readonly databaseUrl: string
  readonly config: ClientConfig
  readonly onError: (error: unknown) => void
}

/** The connection of this process, and the notices that wait for it. */
interface PresenceState {
  readonly host: PresenceHost
  readonly lockKey: string
  readonly listeners: PresenceListener[]
  client?: Client | undefined
  joining?: Promise<void> | undefined
  hasJoined: boolean
  returnedAt: number
  isClosed: boolean
  notices: string[]
  sending?: Promise<void> | undefined
}

export async function openPresence(host: PresenceHost): Promise<Presence> {
  const state: PresenceState = {
    host,
    lockKey: createLockKey(),
    listeners: [],
    hasJoined: false,
    returnedAt: -Infinity,
    isClosed: false,
    notices: [],
  }
  await ensureJoined(state)
  return {
    ensureKey: () => ensureJoined(state),
    msSinceReturn: () => performance.now() - state.returnedAt,
    notify(notice) {
      if (!state.client) return
      state.notices.push(notice)
      state.sending ??= sendNotices(state)
    },
    waitUntilSent: async () => state.sending,
    listen: (listener) => void state.listeners.push(listener),
    async close() {
      state.isClosed = true
      await state.joining?.catch(() => {})
      await state.client?.end()
    },
  }
}

async function ensureJoined(state: PresenceState): Promise<string> {
  if (state.isClosed) {
    throw new PlatformError('database_unavailable', { message: 'The database was closed.' })
  }
  if (state.client) return state.lockKey
  state.joining ??= join(state).finally(() => {
    state.joining = undefined
  })
  await state.joining
  return state.lockKey
}

/** Connects, takes the lock and listens for notices. */
async function join(state: PresenceState): Promise<void> {
  const { host, lockKey, listeners, hasJoined: isReturn } = state
  const client = new GuardedClient(host.config)
  client.on('error', (error) => handleLoss(state, client, error))
  client.on('end', () => handleLoss(state, client, new Error('Connection terminated')))
  client.on('notification', ({ payload = '' }) => {
    for (const { onNotice } of listeners) onNotice?.(payload)
  })
  try {
    await client.connect()
    if (isReturn) await client.query(END_EARLIER, [lockKey])
    await client.query(HOLD, [lockKey])
    await client.query('insert into presences (key) values ($1) on conflict do nothing', [lockKey])
    await client.query(`listen ${CHANNEL}`)
  } catch (error) {
    await client.end().catch(() => {})
    throw toPlatformError(error, host.databaseUrl)
  }
  state.client = client
  if (isReturn) {
    state.returnedAt = performance.now()
    for (const { onReturn } of listeners) onReturn?.()
  }
  state.hasJoined = true
}

function handleLoss(state: PresenceState, client: Client, error: unknown): void {
  if (state.client !== client || state.isClosed) return
  state.client = undefined
  state.host.onError(error)
  void reconnect(state)
}

async function reconnect(state: PresenceState): Promise<void> {
  if (state.isClosed) return
  await ensureJoined(state).catch(async () => {
    await pause(RETRY_MS, undefined, { ref: false })
    await reconnect(state)
  })
}

/** Notices that arrive while a batch is being sent go with the next one. */
async function sendNotices(state: PresenceState): Promise<void> {
  for (let { client } = state; client && state.notices.length > 0; client = state.client) {
    const batch = state.notices.slice(0, MAX_NOTICES_PER_BATCH)
    state.notices = state.notices.slice(MAX_NOTICES_PER_BATCH)
    // A broken connection is handled by its own events.
    await client.query({ ...NOTIFY, values: [batch] }).catch(() => {})
  }
  state.notices = []
  state.sending = undefined
}
