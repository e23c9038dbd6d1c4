-- The names that the source documents use.
alter table reflection_sessions rename column audience to session_audience;
-- The agent that speaks to visitors. It alone does not mean that they may be served: that takes a fresh state, too.
alter table runtime_syncs
  add column elevenlabs_public_agent_id text
    generated always as (case when surface = 'public' then agent_id end) stored;
