-- Who was invited to a reflection is a viewer of the server, which is the least that can sign in, and has an end. What
-- they are to the reflection stands in its members.
alter table tokens drop constraint tokens_kind_check;
alter table tokens add constraint tokens_kind_check check (kind in ('issued', 'invited', 'owner_key'));
alter table tokens add constraint invited_to_a_reflection
  check (kind <> 'invited' or (role = 'viewer' and reflection_id is not null and expires_at is not null));
-- So is who has any other token that was made for a reflection.
update tokens set role = 'viewer' where reflection_id is not null and role not in ('viewer', 'guest');
alter table tokens add constraint made_for_a_reflection check (reflection_id is null or role in ('viewer', 'guest'));
create index on tokens (person_id) where kind = 'invited' and revoked_at is null;
