-- What the local voice provider keeps. It stands for a vendor: its login sees nothing else of the house.
do $$
begin
  if not exists (select from pg_roles where rolname = 'parley_provider') then
    begin
      execute 'create role parley_provider login';
    exception
      when duplicate_object or unique_violation then null;
    end;
  end if;
  execute format('grant connect on database %I to parley_provider', current_database());
end
$$;

create schema provider;
grant usage on schema provider to parley_provider;

-- Agents, versions, tools, secrets, webhooks, settings, tests, test runs: each as its API tells it.
create table provider.documents (
  kind text not null,
  id text collate "C" not null,
  -- What it belongs to, and goes with.
  parent_id text collate "C",
  body json not null,
  -- What of it is secret, sealed under a key that is not in the database.
  sealed bytea,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  primary key (kind, id)
);
create index on provider.documents (kind, created_at desc, id desc);
create index on provider.documents (parent_id) where parent_id is not null;

create table provider.conversations (
  id text collate "C" primary key,
  agent_id text not null,
  user_id text,
  status text not null check (status in ('initiated', 'in-progress', 'processing', 'done', 'failed')),
  body json not null,
  -- What a person said of it afterwards; apart, since the conversation itself is written again and again.
  feedback json,
  audio bytea,
  -- The process that has it, by the key of its advisory lock; none once it is over.
  holder bigint,
  started_at timestamptz(3) not null default clock_timestamp()
);
create index on provider.conversations (started_at desc, id desc);
create index on provider.conversations (holder) where holder is not null;

create table provider.signed_urls (
  signature_hash bytea primary key,
  agent_id text not null,
  -- Good for one connection where it names the conversation.
  conversation_id text,
  body json not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index on provider.signed_urls (expires_at);

-- What is still to be told to a webhook.
create table provider.deliveries (
  id bigint generated always as identity primary key,
  webhook_id text not null,
  conversation_id text not null,
  body text not null,
  attempts integer not null default 0,
  next_at timestamptz(3) not null default clock_timestamp()
);
create index on provider.deliveries (next_at);

grant select, insert, update, delete on all tables in schema provider to parley_provider;
