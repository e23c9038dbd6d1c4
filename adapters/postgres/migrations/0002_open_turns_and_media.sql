-- A turn is open until its end is stored, whoever holds the lease: nobody may while it waits for a person, and
-- nobody does once its process has died.
alter table agent_sessions
  drop constraint agent_sessions_check,
  -- The event that opened the turn.
  add column turn_event integer,
  add column turn_waits boolean not null default false,
  add column cancel_asked boolean not null default false;

update agent_sessions set turn_event = event_last where lease_turn_id is not null;

alter table agent_sessions add constraint agent_sessions_turn_is_open check (
  case when lease_turn_id is null then lease_holder is null and not turn_waits else turn_event is not null end
);

create index agent_sessions_open_turns on agent_sessions (id) where lease_turn_id is not null;

grant update (turn_event, turn_waits, cancel_asked) on agent_sessions to parley_serving;

alter table session_messages
  -- Questions that follow each other are turns of their own if they opened them.
  add column turn_id text,
  -- Known without reading the message, so that a page can end where it gets too big.
  add column content_bytes integer generated always as (octet_length(content::text)) stored;

-- What messages name by its hash. The same bytes are kept once for each owner, and never shared between owners.
create table media (
  owner_id text not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  media_type text not null,
  bytes bytea not null,
  primary key (owner_id, sha256)
);
-- Pictures and sound are compressed already.
alter table media alter column bytes set storage external;

create table session_media (
  session_id text collate "C" not null,
  owner_id text not null,
  sha256 bytea not null,
  primary key (session_id, sha256),
  foreign key (owner_id, sha256) references media
);
create index on session_media (owner_id, sha256);
grant select, insert on media, session_media to parley_serving;
grant select on media, session_media to parley_learning;

-- A message is removed with its session, by this function, or not at all.
drop trigger append_only on session_messages;
create trigger append_only before update or truncate on session_messages
  for each statement execute function refuse_change();
alter table session_messages enable always trigger append_only;

create function refuse_removal() returns trigger language plpgsql as $$
begin
  if exists (select from agent_sessions where id = old.session_id)
    or current_setting('parley.removed_session', true) is distinct from old.session_id then
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
  end if;
  return old;
end
$$;
create trigger removed_with_session before delete on session_messages
  for each row execute function refuse_removal();
alter table session_messages enable always trigger removed_with_session;

create function remove_session(target text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from agent_sessions where id = target and lease_turn_id is null;
  if not found then
    return false;
  end if;
  perform set_config('parley.removed_session', target, true);
  delete from session_messages where session_id = target;
  delete from session_events where session_id = target;
  delete from session_openings where session_id = target;
  perform set_config('parley.removed_session', '', true);
  with removed as (delete from session_media where session_id = target returning owner_id, sha256)
  delete from media using removed
  where media.owner_id = removed.owner_id and media.sha256 = removed.sha256 and not exists (
    select from session_media other
    where other.owner_id = media.owner_id and other.sha256 = media.sha256 and other.session_id <> target
  );
  return true;
end
$$;
grant execute on function remove_session(text) to parley_serving;

-- Of a token only its end is ever changed.
revoke update on tokens from parley_serving;
grant update (revoked_at) on tokens to parley_serving;
