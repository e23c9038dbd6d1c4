import { JOBS_SCHEMA } from '../jobs/queues.ts'
import { managesReflection } from '../sessions/list-statement.ts'
import { statement } from '../statement.ts'

/** Sums the parts of a spread one by one, since SQL does not sum arrays. */
export const buildSumSamples = (parts: number) =>
  statement(`
  select what, label, floor(extract(epoch from at - $1::timestamptz) / $3::integer)::integer as piece,
      sum(count)::float8 as count, sum(sum) as sum,
      array[${Array.from({ length: parts }, (_, part) => `coalesce(sum(spread[${part + 1}]), 0)`).join(', ')}]::float8[] as spread
    from health_samples where at >= $1::timestamptz and at < $2::timestamptz
    group by 1, 2, 3`)

/** Whether the person $2 may know the reflection `r`; $3 is true for the server's owner. */
const IS_MEMBER = `($3::boolean or exists (
  select from reflection_members m where m.reflection_id = r.id and m.person_id = $2
))`

const REFLECTION = `json_build_object('reflectionId', r.id, 'displayName', r.display_name)`

const IS_ADMIN = `($3::boolean or ${managesReflection('$2')})`

// A reflection session is visible to its person and the reflection's admins, any other to the server's admins.
export const FAILURES = statement(`select * from (
    (select 'turn' as kind, f.at, f.code,
      case when rs.session_id is null or rs.person_id = $2 or (r.id is not null and ${IS_ADMIN})
        then f.session_id end as session_id,
      case when r.id is not null and ${IS_MEMBER} then ${REFLECTION} end as reflection
    from health_failures f
      join agent_sessions s on s.id = f.session_id
      left join reflection_sessions rs on rs.session_id = f.session_id
      left join reflections r on r.id = rs.reflection_id and r.removed_at is null
    where f.at >= $1::timestamptz order by f.at desc limit $4)
    union all
    (select 'start', rs.ended_at, rs.failure, null, case when ${IS_MEMBER} then ${REFLECTION} end
    from reflection_sessions rs join reflections r on r.id = rs.reflection_id and r.removed_at is null
    where rs.status = 'failed' and rs.ended_at >= $1::timestamptz and rs.failure <> 'unpublished'
    order by rs.ended_at desc limit $4)
  ) as failed order by at desc limit $4`)

export const LIST_PROVIDERS = statement(`
  select name, worked_at, failed_at, failing_since, code, problem,
    case when cools_until > now() then cools_until end as cools_until
  from health_providers`)

// Three times the interval in which processes write.
export const PROCESSES = statement(`
  select instance, kind, started_at, seen_at, seen_at > now() - interval '30 seconds' as is_alive
  from health_processes where seen_at > now() - interval '1 day'
  order by kind, started_at, instance`)

const NOT_RETRIED = 'not exists (select from health_retries done where done.job_id = j.id)'

export const QUEUES = statement(`select j.name,
    count(*) filter (where j.state = 'created')::integer as waiting,
    count(*) filter (where j.state = 'active')::integer as active,
    count(*) filter (where j.state = 'retry')::integer as retrying,
    count(*) filter (where j.state = 'failed' and ${NOT_RETRIED})::integer as failed,
    min(j.created_on) filter (where j.state in ('created', 'retry')) as oldest_at
  from ${JOBS_SCHEMA}.job j
  where j.name = any($1::text[]) and j.state in ('created', 'active', 'retry', 'failed')
  group by j.name`)

export const FAILED_JOBS = statement(`
  select j.id as job_id, j.name as queue, coalesce(j.completed_on, j.created_on) as failed_at,
    j.retry_count + 1 as tries, j.output,
    case when r.id is not null then ${REFLECTION} end as reflection,
    case when r.id is not null and request.source_id is not null
      then json_build_object('sourceId', request.source_id, 'title', request.title) end as source
  from ${JOBS_SCHEMA}.job j
    left join lateral (
      select i.source_id, i.title, i.reflection_id from intake i
      where i.source_id = j.data ->> 'sourceId' and i.kind = 'source' order by i.id desc limit 1
    ) as request on true
    left join patches p on p.id = j.data ->> 'patchId'
    left join reflections r on r.removed_at is null and ${IS_MEMBER}
      and r.id = coalesce(j.data ->> 'reflectionId', request.reflection_id, p.reflection_id)
  where j.name = any($1::text[]) and j.state = 'failed' and ${NOT_RETRIED}
  order by 3 desc limit $4`)

export const FIND_FAILED = statement(`
  select j.name, j.data, j.singleton_key from ${JOBS_SCHEMA}.job j
  where j.id = $1 and j.name = any($2::text[]) and j.state = 'failed'`)

export const CLAIM_RETRY = statement(
  'insert into health_retries (job_id) values ($1) on conflict do nothing returning job_id',
)

export const READ_DATABASE_SIZE = statement(`
  select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes`)

export const PRUNE = [
  `delete from health_samples where at < now() - interval '8 days'`,
  `delete from health_failures where at < now() - interval '8 days'`,
  `delete from health_processes where seen_at < now() - interval '1 day'`,
  `delete from health_retries where at < now() - interval '8 days'`,
].map(statement)
