-- Payloads from before have other names and no hash of their capsule: what they say is built anew, their hashes stay.
select erase_artifacts(reflection_id, generation) from voice_artifacts
  where payload is not null and payload -> 'sync_metadata' is null;

-- Up to which number every build is over, though the last of them brought nothing new and left no generation.
create table voice_confirmed (
  reflection_id text collate "C" primary key references reflections on delete cascade,
  generation integer not null check (generation > 0)
);
create trigger only_higher before update on voice_confirmed
  for each row execute function refuse_lower_generation();
alter table voice_confirmed enable always trigger only_higher;
grant select, insert on voice_confirmed to parley_learning;
grant update (generation) on voice_confirmed to parley_learning;

create or replace function erase_source(target text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  home text := (select reflection_id from intake where source_id = target limit 1);
begin
  if home is null then
    return;
  end if;
  if not exists (select from intake where source_id = target and kind = 'remove_source')
    and not exists (select from reflections where id = home and removed_at is not null) then
    raise exception 'nobody asked to remove the source %', target using errcode = 'restrict_violation';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(home, 0));
  update ingest_runs set erased_at = now(), outcome = 'failed', ended_at = coalesce(ended_at, now()),
    title = '', problem = null, text_title = null, evaluation = null
    where source_id = target;
  delete from chunks using ingest_runs
    where ingest_runs.source_id = target and chunks.run_id = ingest_runs.id;
  delete from ingest_texts using ingest_runs where ingest_runs.source_id = target and run_id = ingest_runs.id;
  perform erase_artifacts(home, generation) from voice_artifacts
    where reflection_id = home and payload is not null and exists (
      select from json_array_elements(payload -> 'voice_evidence_pack' -> 'items') as item
      where item ->> 'sourceId' = target
    );
  update facts set supersedes_fact_id = null
    where supersedes_fact_id in (select id from facts where source_id = target);
  delete from facts where source_id = target;
  delete from patches where source_id = target;
  delete from sources where id = target;
  delete from withheld_sources where source_id = target;
  delete from intake where source_id = target;
  delete from originals where reflection_id = home and not exists (
    select from intake where intake.reflection_id = home and intake.sha256 = originals.sha256
  );
end
$$;

-- What is built, and what serves, leaves out what is withheld.
grant usage on schema gate to parley_learning;
grant execute on function gate.withheld(text[]) to parley_serving, parley_learning;

-- Whom a payload may be told to: nobody once a source of it is to go, members alone once one has left what is published.
create function told_to(home text, payload json) returns text
language sql stable set search_path = public, pg_temp as $$
  select case
    when bool_or(exists (select from intake i where i.source_id = w.source_id and i.kind = 'remove_source')) then 'nobody'
    when bool_or(n.is_published) then 'members'
    else 'all'
  end
  from namespaces n, gate.withheld(array[n.id]) w, json_array_elements(payload -> 'voice_evidence_pack' -> 'items') as item
  where n.reflection_id = home and item ->> 'sourceId' = w.source_id and item ->> 'namespace' = n.name
$$;
grant execute on function told_to(text, json) to parley_serving, parley_learning;
