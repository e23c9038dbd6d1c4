-- Rises, for each reflection, with every change of a fact or of the chunks that are searched, in the same transaction.
-- A table of its own: a worker that holds the lock of a reflection's knowledge must not wait for the reflection's row,
-- since serving takes the two in the other order.
create table knowledge_revision (
  reflection_id text collate "C" primary key references reflections on delete cascade,
  revision bigint not null default 0
);
insert into knowledge_revision (reflection_id) select id from reflections;
grant select on knowledge_revision to parley_serving;

create function add_knowledge_revision() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into knowledge_revision (reflection_id) values (new.id);
  return null;
end
$$;
create trigger has_knowledge_revision after insert on reflections
  for each row execute function add_knowledge_revision();

create function raise_knowledge_revision() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update knowledge_revision set revision = revision + 1
    where reflection_id in (select reflection_id from changed);
  return null;
end
$$;
-- Facts begin as candidates, which are not found. What is deleted was taken out of the search before, with the publish
-- revision.
create trigger raises_knowledge_revision after update on facts
  referencing old table as changed for each statement execute function raise_knowledge_revision();
create trigger raises_knowledge_revision after update on chunks
  referencing old table as changed for each statement execute function raise_knowledge_revision();
