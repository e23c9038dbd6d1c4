import type { ClientConfig } from 'pg'
import { type AgentSurface, type Json, PlatformError, SyncState } from '@parley/contracts'
import { waitUnlessAborted } from '@parley/engine'
import type { AgentsState, SurfaceSync, SyncStore } from '@parley/reflections'
import { toPlatformError, getErrorCode } from '../login/database-error.ts'
import { GuardedClient, SET_KEEPALIVES } from '../login/guarded-client.ts'
import { type RowOf, findRecord, listRecords, toRecord } from '../records.ts'
import { type Run, hasRows, ignoreRows } from '../run-statements.ts'
import { statement } from '../statement.ts'

export interface SyncStoreHost {
  readonly run: Run
  readonly alone: SyncStore['runExclusively']
}

/** The sync state of the provider's agents, through the login of `parley_serving`. */
export function postgresSyncStore({ run, alone }: SyncStoreHost): SyncStore {
  return {
    runExclusively: alone,

    async read(reflectionId, signal) {
      const [row] = await run<SyncStateRow>(READ_SYNC_STATE, [reflectionId], signal)
      if (!row) return undefined
      const { syncs, ...fields } = row
      const entries = Object.entries(syncs ?? {}).map(([surface, sync]) => [surface, toSync(sync)] as const)
      return { ...toRecord<StateFields>(fields), syncs: Object.fromEntries(entries) }
    },

    async write(
      reflectionId,
      surface,
      { agentId, state, fingerprint, providerDefaults, pendingRevocations = 0 },
    ) {
      const defaults = JSON.stringify(providerDefaults)
      const sync = [agentId, JSON.stringify(state), fingerprint, defaults, pendingRevocations]
      return hasRows(run(WRITE, [reflectionId, surface, ...sync]))
    },

    forget: (reflectionId, surface, agentId, signal) =>
      ignoreRows(run(FORGET, [reflectionId, surface, agentId], signal)),

    listPendingRevocations: () => listRecords(run(LIST_PENDING_REVOCATIONS)),
    readServerAgent: (kind) => findRecord(run(READ_SERVER_AGENT, [kind])),

    writeServerAgent: (kind, { agentId, providerDefaults }) =>
      ignoreRows(run(WRITE_SERVER_AGENT, [kind, agentId, JSON.stringify(providerDefaults)])),
  }
}

type StateFields = Omit<AgentsState, 'syncs'>

type SyncStateRow = RowOf<StateFields> & {
  readonly syncs: Partial<Record<AgentSurface, SyncRow>> | null
}

interface SyncRow {
  readonly agentId: string
  readonly state: unknown
  readonly fingerprint: string | null
  readonly providerDefaults: Readonly<Record<string, Json>> | null
  readonly pendingRevocations: number
}

/** An invalid state counts as none. */
function toSync({ agentId, state, fingerprint, providerDefaults, pendingRevocations }: SyncRow): SurfaceSync {
  const { data } = SyncState.safeParse(state)
  return {
    agentId,
    ...(data && { state: data }),
    ...(fingerprint !== null && { fingerprint }),
    ...(providerDefaults && { providerDefaults }),
    ...(pendingRevocations > 0 && { pendingRevocations }),
  }
}

// One statement, so that the published namespaces, the artifacts and the sync state are from one moment.
const READ_SYNC_STATE = statement(`select r.voice ->> 'voiceId' as voice_id,
    array(select n.name from namespaces n where n.reflection_id = r.id and n.is_published) as published_namespaces,
    (
      select json_object_agg(s.surface, json_build_object(
        'agentId', coalesce(s.elevenlabs_public_agent_id, s.agent_id), 'state', s.state,
        'fingerprint', s.fingerprint, 'providerDefaults', s.provider_defaults, 'pendingRevocations', s.revocations))
      from runtime_syncs s where s.reflection_id = r.id
    ) as syncs,
    (
      select json_build_object(
        'generation', a.generation, 'sync', a.payload -> 'sync_metadata', 'isPublic', served.readers = 'all')
      from voice_runtime v
      join voice_artifacts a on a.reflection_id = v.reflection_id and a.generation = v.generation,
        told_to(v.reflection_id, a.payload) as served (readers)
      where v.reflection_id = r.id and a.payload is not null and served.readers <> 'nobody'
    ) as promoted
  from reflections r where r.id = $1 and r.removed_at is null`)

const WRITE = statement(`
  insert into runtime_syncs (reflection_id, surface, agent_id, state, fingerprint, provider_defaults)
  select id, $2, $3, $4, $5, $6 from reflections where id = $1 and removed_at is null
  on conflict (reflection_id, surface) do update
    set agent_id = excluded.agent_id, state = excluded.state, fingerprint = excluded.fingerprint,
      provider_defaults = case when excluded.agent_id = runtime_syncs.agent_id and excluded.provider_defaults is null
        then runtime_syncs.provider_defaults else excluded.provider_defaults end,
      revocations = greatest(0, runtime_syncs.revocations - $7)
  returning surface`)

const FORGET = statement(
  'update runtime_syncs set state = null where reflection_id = $1 and surface = $2 and agent_id = $3',
)

const LIST_PENDING_REVOCATIONS = statement(`select s.reflection_id, s.surface from runtime_syncs s
  join reflections r on r.id = s.reflection_id and r.removed_at is null
  where s.revocations > 0 order by s.reflection_id, s.surface`)

const READ_SERVER_AGENT = statement('select agent_id, provider_defaults from server_agents where kind = $1')

const WRITE_SERVER_AGENT =
  statement(`insert into server_agents (kind, agent_id, provider_defaults) values ($1, $2, $3)
  on conflict (kind) do update set agent_id = excluded.agent_id,
    provider_defaults = case when excluded.agent_id = server_agents.agent_id and excluded.provider_defaults is null
      then server_agents.provider_defaults else excluded.provider_defaults end`)

interface ExclusiveRunnerHost {
  readonly databaseUrl: string
  readonly config: ClientConfig
  /** Aborts when the database is closed. */
  readonly closing: AbortSignal
}

/** Runs work under a lock on a dedicated connection: Postgres releases it when the connection ends. */
export function createExclusiveRunner({
  databaseUrl,
  config,
  closing,
}: ExclusiveRunnerHost): SyncStore['runExclusively'] {
  return async (name, work, signal) => {
    const lost = new AbortController()
    const client = new GuardedClient(config)
    client.on('error', (error) => lost.abort(error))
    client.on('end', () => lost.abort(new Error('The connection with the lock was lost.')))
    const stopped = AbortSignal.any([signal, closing])
    await takeLockUnlessStopped(client, name, databaseUrl, stopped)
    try {
      return await work(AbortSignal.any([stopped, lost.signal]))
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

/** An abort ends the wait for the lock; once taken, the lock is kept until the work has stopped. */
async function takeLockUnlessStopped(
  client: GuardedClient,
  name: string,
  databaseUrl: string,
  stop: AbortSignal,
): Promise<void> {
  try {
    await waitUnlessAborted(takeLock(client, name), stop, () => createCancelledError(name, stop))
  } catch (error) {
    // While it connects or waits, pg would end it only afterwards.
    client.connection.stream.destroy()
    throw getErrorCode(error) === LOCK_NOT_AVAILABLE
      ? createBusyError(name, error)
      : toPlatformError(error, databaseUrl)
  }
}

async function takeLock(client: GuardedClient, name: string): Promise<void> {
  await client.connect()
  await client.query(SET_LOCK_LIMITS)
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`alone: ${name}`])
}

const LOCK_NOT_AVAILABLE = '55P03'

const SET_LOCK_LIMITS = `${SET_KEEPALIVES}, set_config('lock_timeout', '90s', false),
  set_config('client_connection_check_interval', '2s', false)`

const createBusyError = (name: string, cause: unknown) =>
  new PlatformError(
    'provider_unavailable',
    { message: `Another process is still working on ${name}. Try again in a minute.` },
    { cause },
  )

const createCancelledError = (name: string, { reason }: AbortSignal) =>
  new PlatformError('cancelled', { message: `The wait for ${name} was cancelled.` }, { cause: reason })
