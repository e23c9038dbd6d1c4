/** Events stand with the message that was stored with them; costs; markers. */
export const THIRD_FORMAT = `
-- What the session has cost so far, by model, as JSON.
alter table agent_sessions add column costs text not null default '{}';

-- The events that were stored with the message, as a JSON array, and the number of the last of them: a turn then
-- writes half as many rows. A message that was stored with another one leaves them to the last of these.
alter table session_messages add column event_last integer not null default 0;
alter table session_messages add column events text;
alter table session_messages add column marker text;

alter table session_events rename to earlier_events;

-- Events that were stored without a message.
create table session_events (
  session_id text not null references agent_sessions,
  event_last integer not null,
  events text not null,
  primary key (session_id, event_last)
) strict, without rowid;

insert into session_events (session_id, event_last, events)
select session_id, sequence_number, json_array(json_array(
    sequence_number,
    json(body),
    iif(message_sequence is null, json_object('t', timestamp),
      json_object('t', timestamp, 'of', json_object('message', message_sequence, 'part', message_part))),
    from_sequence
  ))
from earlier_events;

drop table earlier_events;
`
