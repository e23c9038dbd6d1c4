import type { SessionId } from '@parley/contracts'
import type { StoreHost } from '../knowledge/store-host.ts'
import type { HealthSample } from './minute-samples.ts'
import { ignoreRows } from '../run-statements.ts'
import { statement } from '../statement.ts'

/** The result of a provider request, with its time. */
export type ProviderOutcome =
  | { readonly kind: 'worked'; readonly at: string }
  | {
      readonly kind: 'failed'
      readonly at: string
      readonly code: string
      readonly problem: string
      readonly coolsUntil?: string
    }

export interface TurnFailure {
  readonly at: string
  readonly sessionId: SessionId
  readonly code: string
}

export interface HealthRecord {
  readonly samples: readonly HealthSample[]
  readonly failures: readonly TurnFailure[]
  readonly providers: readonly (readonly [name: string, outcome: ProviderOutcome])[]
}

export interface RecordedProcess {
  readonly instance: string
  readonly kind: 'api' | 'worker'
  readonly startedAt: string
}

/** Stores health samples of processes. */
export interface HealthLog {
  /** Also shows that the process is alive. Replaces earlier samples of the same minute. */
  write(process: RecordedProcess, record: HealthRecord): Promise<void>
  /** Removes a process that ends as planned. */
  removeProcess(instance: string): Promise<void>
}

export const postgresHealthLog = ({ run, transact }: Pick<StoreHost, 'run' | 'transact'>): HealthLog => ({
  write: (process, { samples, failures, providers }) =>
    transact(async (execute) => {
      await execute(UPSERT_PROCESS, [process.instance, process.kind, process.startedAt])
      if (samples.length > 0) await execute(UPSERT_SAMPLES, [process.instance, JSON.stringify(samples)])
      if (failures.length > 0) await execute(INSERT_FAILURES, [JSON.stringify(failures)])
      for (const [name, outcome] of providers.toSorted(compareNames)) {
        if (outcome.kind === 'worked') await execute(RECORD_SUCCESS, [name, outcome.at])
        else {
          const { at, code, problem, coolsUntil = null } = outcome
          await execute(RECORD_FAILURE, [name, at, code, problem, coolsUntil])
        }
      }
    }),

  removeProcess: (instance) => ignoreRows(run(DELETE_PROCESS, [instance])),
})

/** One order for all processes, so that they do not deadlock. */
const compareNames = ([first]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  first < other ? -1 : 1

const UPSERT_PROCESS =
  statement(`insert into health_processes (instance, kind, started_at) values ($1, $2, $3)
  on conflict (instance) do update set seen_at = now()`)

const DELETE_PROCESS = statement('delete from health_processes where instance = $1')

const UPSERT_SAMPLES = statement(`insert into health_samples (at, what, label, instance, count, sum, spread)
  select s.at, s.what, s.label, $1, s.count, s.sum, s.spread
  from json_to_recordset($2::json)
    as s (at timestamptz, what text, label text, count bigint, sum double precision, spread bigint[])
  on conflict (at, what, label, instance) do update
    set count = excluded.count, sum = excluded.sum, spread = excluded.spread`)

const INSERT_FAILURES = statement(`insert into health_failures (at, session_id, code)
  select f.at, f."sessionId", f.code
  from json_to_recordset($1::json) as f (at timestamptz, "sessionId" text, code text)
    join agent_sessions s on s.id = f."sessionId"`)

// Processes may write out of order: the later result counts.
const RECORD_SUCCESS = statement(`insert into health_providers as p (name, worked_at) values ($1, $2)
  on conflict (name) do update set worked_at = greatest(p.worked_at, excluded.worked_at),
    failing_since = case when p.failed_at > excluded.worked_at then p.failing_since end,
    cools_until = case when p.failed_at > excluded.worked_at then p.cools_until end`)

const RECORD_FAILURE = statement(`
  insert into health_providers as p (name, failed_at, failing_since, code, problem, cools_until)
  values ($1, $2, $2, $3, $4, $5)
  on conflict (name) do update set failed_at = excluded.failed_at,
    failing_since = case when p.worked_at > excluded.failed_at then null
      else coalesce(p.failing_since, excluded.failed_at) end,
    code = excluded.code, problem = excluded.problem, cools_until = excluded.cools_until
  where p.failed_at is null or p.failed_at <= excluded.failed_at`)
