-- What a session runs on holds what its reflection knew: with a source it goes from there too.
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
  -- Those were marked when the source was taken back, and go on no more.
  update agent_sessions s set agent_snapshot =
      (s.agent_snapshot::jsonb || jsonb_build_object('system_prompt', 'What this agent was told was removed with one of its sources.'))::json
    from reflection_sessions r
    where r.reflection_id = home and r.is_outdated and s.id = r.session_id;
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
