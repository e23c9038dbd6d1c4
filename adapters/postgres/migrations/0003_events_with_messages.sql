-- What the session has cost so far, by model.
alter table agent_sessions add column costs json not null default '{}';
grant update (costs) on agent_sessions to parley_serving;

alter table session_messages
  -- The events that were stored with the message, and the number of the last of them: a turn then writes half as many
  -- rows. A message that was stored with another one leaves them to the last of these.
  add column event_last integer not null default 0,
  add column events json,
  add column marker json;

alter table session_events rename to earlier_events;

-- Events that were stored without a message.
create table session_events (
  session_id text collate "C" not null,
  event_last integer not null,
  events json not null,
  primary key (session_id, event_last)
);
insert into session_events (session_id, event_last, events)
select session_id, sequence_number, json_build_array(json_build_array(
    sequence_number,
    body,
    json_strip_nulls(json_build_object(
      't', to_char(timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'of', case when message_sequence is not null
        then json_build_object('message', message_sequence, 'part', message_part) end
    )),
    from_sequence
  ))
from earlier_events;
drop table earlier_events;
grant select, insert on session_events to parley_serving;
grant select on session_events to parley_learning;

-- The keys that processes hold or held while they live: of the dead ones, the turns are looked for. Zero is nobody's,
-- and stands with turns that were given up.
create table presences (key bigint primary key);
grant select, insert, delete on presences to parley_serving;

update agent_sessions set lease_holder = 0
  where lease_turn_id is not null and lease_holder is null and not turn_waits;
insert into presences select distinct lease_holder from agent_sessions where lease_holder is not null;

-- A turn writes its session's row twice. Where no index holds what it changes, the new version of the row stays on
-- the same page and no index is written at all.
drop index agent_sessions_updated_at_id_idx, agent_sessions_owner_id_updated_at_id_idx, agent_sessions_open_turns;
create index agent_sessions_of_owner on agent_sessions (owner_id);
alter table agent_sessions set (fillfactor = 70);
