import type { Run } from '../queries.ts'
import { ONE_AT_A_TIME_VALUES, SAYS_THE_SAME } from './says-the-same.ts'

/**
 * Makes the patch's candidates active, and ends what they take the place of. What another source says already is not
 * active twice: it is kept beside that fact, and bears it out.
 */
export async function applyPatch(within: Run, patchId: string, by: string): Promise<void> {
  await within(MARK_REPEATS, [patchId, ONE_AT_A_TIME_VALUES])
  await within(ACTIVATE, [patchId])
  await within(LINK, [patchId])
  await within(SUPERSEDE, [patchId])
  await within(DECIDE, [patchId, 'applied', by])
}

export async function rejectPatch(within: Run, patchId: string, by: string): Promise<void> {
  await within(REJECT_CANDIDATES, [patchId])
  await within(DECIDE, [patchId, 'rejected', by])
}

/** Takes the patch's facts back, and brings back what they took the place of, unless a later patch did so since. */
export async function revertPatch(within: Run, patchId: string, by: string): Promise<void> {
  await within(PASS_ON, [patchId])
  await within(BRING_BACK, [patchId])
  await within(REJECT_ACTIVE, [patchId])
  await within(DECIDE, [patchId, 'reverted', by])
}

// Not what the patch itself takes the place of, and not what its own source said before: that ends with it.
const MARK_REPEATS = {
  name: 'mark_repeats',
  text: `update facts set state = 'rejected', repeats_fact_id = same.known_id
    from (
      select distinct on (said.id) said.id, known.id as known_id
      from patches p
      join facts said on said.patch_id = p.id and said.state = 'candidate'
      join facts known on ${SAYS_THE_SAME}
      where p.id = $1 and known.patch_id <> p.id and known.source_id is distinct from p.source_id
        and not exists (
          select from json_array_elements(p.evaluation -> 'supersedes') s where s ->> 'factId' = known.id
        )
      order by said.id, known.created_at, known.id
    ) as same
    where facts.id = same.id`,
}

const ACTIVATE = {
  name: 'activate_facts',
  text: `update facts set state = 'active' where patch_id = $1 and state = 'candidate'`,
}

// Which earlier fact each new one takes the place of: as the rules found, or the same of an earlier version.
const LINK = {
  name: 'link_superseded',
  text: `update facts fresh set supersedes_fact_id = coalesce(
      (select old.id from json_array_elements(p.evaluation -> 'supersedes') s
        join facts old on old.id = s ->> 'factId' and old.reflection_id = fresh.reflection_id
        where s ->> 'by' = fresh.id and old.state = 'active' and old.superseded_at is null limit 1),
      (select old.id from facts old
        where old.source_id = fresh.source_id and old.patch_id <> fresh.patch_id and old.state = 'active'
          and old.superseded_at is null
          and old.subject_key = fresh.subject_key and old.predicate = fresh.predicate
        order by old.object_key = fresh.object_key desc, old.id limit 1)
    )
    from patches p where p.id = $1 and fresh.patch_id = p.id and fresh.state = 'active'`,
}

const SUPERSEDE = {
  name: 'supersede_facts',
  text: `update facts old set superseded_at = now(), superseded_by_patch = p.id,
      valid_to = coalesce(old.valid_to, said_at(now()))
    from patches p
    where p.id = $1 and old.reflection_id = p.reflection_id and old.patch_id <> p.id
      and (old.state = 'active' or old.repeats_fact_id is not null) and old.superseded_at is null
      and (
        old.source_id = p.source_id
        or exists (
          select from json_array_elements(p.evaluation -> 'supersedes') s
          join facts fresh on fresh.id = s ->> 'by' and fresh.patch_id = p.id
            and (fresh.state = 'active' or fresh.repeats_fact_id is not null)
          where s ->> 'factId' in (old.id, old.repeats_fact_id)
        )
      )`,
}

const DECIDE = {
  name: 'decide_patch',
  text: `update patches set status = $2, decided_by = $3, decided_at = now(),
      revision = case when $2 = 'rejected' then revision else nextval('knowledge_revisions') end
    where id = $1`,
}

const REJECT_CANDIDATES = {
  name: 'reject_candidates',
  text: `update facts set state = 'rejected' where patch_id = $1 and state = 'candidate'`,
}

// Where what took a fact's place was itself superseded since, the fact stays ended, by that later patch.
const PASS_ON = {
  name: 'pass_superseded_on',
  text: `update facts old set superseded_by_patch = later.patch_id
    from patches p, lateral (
      select fresh.superseded_by_patch as patch_id, fresh.supersedes_fact_id, next.source_id
      from facts fresh join patches next on next.id = fresh.superseded_by_patch
      where fresh.patch_id = p.id
    ) as later
    where p.id = $1 and old.superseded_by_patch = p.id
      and (later.supersedes_fact_id in (old.id, old.repeats_fact_id) or (later.source_id = p.source_id and old.source_id = p.source_id))`,
}

const BRING_BACK = {
  name: 'bring_back',
  text: `update facts set superseded_at = null, superseded_by_patch = null,
      valid_to = nullif(valid_to, said_at(superseded_at))
    where superseded_by_patch = $1`,
}

const REJECT_ACTIVE = {
  name: 'reject_active',
  text: `update facts set state = 'rejected', repeats_fact_id = null
    where patch_id = $1 and (state = 'active' or repeats_fact_id is not null)`,
}
