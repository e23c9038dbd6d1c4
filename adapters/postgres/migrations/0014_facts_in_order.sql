-- Facts are looked through by whom they are about, and by when they were so, from any place in the list.
create index facts_in_subject_order on facts
  (reflection_id, subject_key collate "C", predicate collate "C", (coalesce(valid_from, '') collate "C") desc, id);
create index facts_in_time_order on facts
  (reflection_id, (coalesce(valid_from, '') collate "C") desc, subject_key collate "C", id);
-- What took a fact's place is found from it.
create index on facts (supersedes_fact_id) where supersedes_fact_id is not null;
