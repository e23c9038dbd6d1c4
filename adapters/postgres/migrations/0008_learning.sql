-- Which run a source shows now: bytes that come back after others are learned again.
alter table sources add column current_run_id text collate "C";
update sources s set current_run_id =
  (select c.run_id from chunks c where c.source_id = s.id and c.is_current limit 1);
grant update (current_run_id) on sources to parley_learning;
-- A run that is taken up anew leaves its earlier patch to history.
grant update (run_id) on patches to parley_learning;

-- The same bytes are learned once in a namespace: a run of them under another source names the one that has them.
alter table ingest_runs add column duplicate_of text collate "C";
alter table ingest_runs drop constraint ingest_runs_outcome_check;
alter table ingest_runs add constraint ingest_runs_outcome_check
  check (outcome in ('completed', 'eval_rejected', 'failed', 'duplicate_skipped'));
grant update (duplicate_of) on ingest_runs to parley_learning;

-- A run that died while it made its patch makes it anew; what was decided stays.
create or replace function discard_patch(of_run text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from ingest_runs where id = of_run and outcome is null for update) then
    raise exception 'the patch of a run that has ended stays' using errcode = 'restrict_violation';
  end if;
  delete from facts using patches
    where patches.run_id = of_run and patches.status = 'proposed' and patch_id = patches.id;
  delete from patches where run_id = of_run and status = 'proposed';
end
$$;

-- Rises with each patch that is applied or taken back, so that it shows whether more is known since a patch was evaluated.
create sequence knowledge_revisions;
alter table patches add column revision bigint;
create index on patches (reflection_id, revision);
-- What is to be told of how the facts were found.
alter table patches add column notes json not null default '[]';
grant usage on sequence knowledge_revisions to parley_learning;
grant update (revision) on patches to parley_learning;

-- What two sources say is active once: the other names the fact that it says again, and bears it out.
alter table facts add column repeats_fact_id text collate "C";
create index on facts (repeats_fact_id) where repeats_fact_id is not null;
create index on facts (reflection_id) where repeats_fact_id is not null and superseded_at is null;
grant update (repeats_fact_id) on facts to parley_learning;

create index on facts (namespace_id, subject_key) where superseded_by_patch is not null;

create index on intake ((payload ->> 'patchId')) where kind = 'correction';

-- A scope that has ended leaves nothing.
grant delete on public_scopes to parley_serving;
