-- What processes counted and timed, a minute at a time. Each process writes its own rows, as often as it likes: a row is
-- what it has counted in that minute, so nothing is counted twice.
create table health_samples (
  at timestamptz(0) not null,
  what text not null check (what in ('request', 'turn', 'session', 'cost', 'retrieval', 'model')),
  label text not null check (length(label) <= 300),
  instance text not null,
  count bigint not null,
  sum double precision not null,
  -- How many took up to each of the bounds that the program knows; none where nothing was timed.
  spread bigint[],
  primary key (at, what, label, instance)
);

-- Turns that failed: when, why and where, and not a word of what was said.
create table health_failures (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null,
  session_id text collate "C" not null references agent_sessions on delete cascade,
  code text not null
);
create index on health_failures (at);
create index on health_failures (session_id);

create table health_processes (
  instance text primary key,
  kind text not null check (kind in ('api', 'worker')),
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null default now()
);

-- How each provider answered last, whichever process asked.
create table health_providers (
  name text primary key,
  worked_at timestamptz(3),
  failed_at timestamptz(3),
  failing_since timestamptz(3),
  code text,
  problem text,
  cools_until timestamptz(3)
);

-- Jobs that failed and that a person had tried again, each once.
create table health_retries (
  job_id uuid primary key,
  at timestamptz(3) not null default now()
);

create index reflection_sessions_failed on reflection_sessions (ended_at) where status = 'failed';

-- What the console remembers of a person.
create table person_settings (
  person_id text primary key references people,
  tour text not null check (tour in ('due', 'skipped', 'done'))
);

grant select, insert, update, delete on health_samples, health_processes, health_providers to parley_serving;
grant select, insert, delete on health_failures, health_retries to parley_serving;
grant select, insert on person_settings to parley_serving;
grant update (tour) on person_settings to parley_serving;
-- Workers count too.
grant select, insert, update on health_samples, health_providers to parley_learning;
grant select, insert, update, delete on health_processes to parley_learning;
