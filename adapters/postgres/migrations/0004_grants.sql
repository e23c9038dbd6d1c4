-- What a person allowed for the rest of a session, as JSON.
alter table agent_sessions add column grants json not null default '[]';
grant update (grants) on agent_sessions to parley_serving;
