/** What a person allowed for the rest of a session. */
export const FOURTH_FORMAT = `
alter table agent_sessions add column grants text not null default '[]';

-- Values that are never shown. One that was replaced or removed stays, so that it is still known not to be shown.
create table secrets (
  name text not null,
  value text not null,
  set_at text not null,
  replaced_at text,
  unique (name, value)
) strict;
`
