import { ONE_AT_A_TIME } from '@parley/knowledge'
import type { Run } from '../run-statements.ts'
import { statement } from '../statement.ts'

/** `known` is active and says the same as `said`, in the same namespace; `$2`: predicates that ignore dates. */
const SAYS_THE_SAME = `known.namespace_id = said.namespace_id and known.subject_key = said.subject_key
  and known.predicate = said.predicate and known.object_key = said.object_key
  and known.state = 'active' and known.superseded_at is null
  and (said.valid_from is null or said.valid_from = known.valid_from or said.predicate = any($2::text[]))`

const SINGLE_VALUE_PREDICATES = [...ONE_AT_A_TIME.keys()]

/**
 * Activates the patch's candidates and ends the facts that they replace. A statement of another source is not active
 * twice: the repetition supports the active fact.
 */
export async function applyPatch(within: Run, patchId: string, by: string): Promise<void> {
  await within(MARK_REPEATS, [patchId, SINGLE_VALUE_PREDICATES])
  // Before they are activated: the patch's own facts must not count as replaced ones.
  await within(LINK_EVALUATED, [patchId])
  await within(LINK_EARLIER, [patchId])
  await within(SUPERSEDE_EVALUATED, [patchId])
  await within(SUPERSEDE_EARLIER, [patchId])
  await within(ACTIVATE, [patchId])
  await within(DECIDE, [patchId, 'applied', by])
}

export async function rejectPatch(within: Run, patchId: string, by: string): Promise<void> {
  await within(REJECT_CANDIDATES, [patchId])
  await within(DECIDE, [patchId, 'rejected', by])
}

/** Rejects the patch's facts and restores those that they replaced, unless a later patch replaced them too. */
export async function revertPatch(within: Run, patchId: string, by: string): Promise<void> {
  await within(KEEP_SUPERSEDED_BY_LATER, [patchId])
  await within(RESTORE_SUPERSEDED, [patchId])
  await within(REJECT_ACTIVE, [patchId])
  await within(DECIDE, [patchId, 'reverted', by])
}

// Excludes facts that the patch replaces and earlier facts of its source: those end with it.
const MARK_REPEATS = statement(`update facts set state = 'rejected', repeats_fact_id = same.known_id
  from (
    select distinct on (said.id) said.id, known.id as known_id
    from patches p
    join facts said on said.patch_id = p.id and said.state = 'candidate'
    join facts known on ${SAYS_THE_SAME}
    where p.id = $1 and known.patch_id <> p.id and known.source_id is distinct from p.source_id
      and known.id not in (
        select s ->> 'factId'
        from json_array_elements((select evaluation -> 'supersedes' from patches where id = $1)) s
      )
    order by said.id, known.created_at, known.id
  ) as same
  where facts.id = same.id`)

const ACTIVATE = statement(`update facts set state = 'active' where patch_id = $1 and state = 'candidate'`)

const EVALUATED_REPLACEMENTS = `select s ->> 'factId' as old_id, s ->> 'by' as new_id, p.reflection_id
  from patches p, json_array_elements(p.evaluation -> 'supersedes') s where p.id = $1`

// The earlier fact that each new one replaces, as the rules or a person decided …
const LINK_EVALUATED = statement(`update facts fresh set supersedes_fact_id = evaluated.old_id
  from (
    select f.new_id, min(old.id) as old_id from (${EVALUATED_REPLACEMENTS}) f
    join facts old on old.id = f.old_id and old.reflection_id = f.reflection_id
    where old.state = 'active' and old.superseded_at is null
    group by f.new_id
  ) as evaluated
  where fresh.id = evaluated.new_id and fresh.patch_id = $1 and fresh.state = 'candidate'`)

// … or from an earlier version: the same statement, else the first with the same subject and predicate. Found by its
// key, not by the index of sources, which would read every fact of the source.
const LINK_EARLIER = statement(`update facts set supersedes_fact_id = coalesce(
    (select old.id from facts old
      where old.namespace_id = facts.namespace_id and old.subject_key = facts.subject_key
        and old.predicate = facts.predicate and old.object_key = facts.object_key
        and old.state = 'active' and old.superseded_at is null
        and old.source_id is not distinct from facts.source_id limit 1),
    alike.id
  )
  from (
    select old.subject_key, old.predicate, min(old.id) as id
    from patches p join facts old on old.source_id = p.source_id
    where p.id = $1 and old.state = 'active' and old.superseded_at is null
    group by old.subject_key, old.predicate
  ) as alike
  where facts.patch_id = $1 and facts.state = 'candidate' and facts.supersedes_fact_id is null
    and alike.subject_key = facts.subject_key and alike.predicate = facts.predicate`)

// Also ends the repetitions of the fact.
const SUPERSEDE_EVALUATED = statement(`update facts set superseded_at = now(), superseded_by_patch = $1
  from (
    select f.old_id as id, f.reflection_id from (${EVALUATED_REPLACEMENTS}) f
    join facts fresh on fresh.id = f.new_id and fresh.patch_id = $1
      and (fresh.state = 'candidate' or fresh.repeats_fact_id is not null)
    union
    select said.id, f.reflection_id from (${EVALUATED_REPLACEMENTS}) f
    join facts fresh on fresh.id = f.new_id and fresh.patch_id = $1
      and (fresh.state = 'candidate' or fresh.repeats_fact_id is not null)
    join facts said on said.repeats_fact_id = f.old_id
  ) as old
  where facts.id = old.id and facts.reflection_id = old.reflection_id and facts.patch_id <> $1
    and (facts.state = 'active' or facts.repeats_fact_id is not null) and facts.superseded_at is null`)

const SUPERSEDE_EARLIER = statement(`
  update facts old set superseded_at = now(), superseded_by_patch = p.id from patches p
  where p.id = $1 and old.source_id = p.source_id and old.patch_id <> p.id
    and (old.state = 'active' or old.repeats_fact_id is not null) and old.superseded_at is null`)

const DECIDE = statement(`update patches set status = $2, decided_by = $3, decided_at = now(),
    revision = case when $2 = 'rejected' then revision else nextval('knowledge_revisions') end
  where id = $1`)

const REJECT_CANDIDATES = statement(`
  update facts set state = 'rejected' where patch_id = $1 and state = 'candidate'`)

// If the replacing fact was itself superseded, the old fact stays ended, by that later patch.
const KEEP_SUPERSEDED_BY_LATER = statement(`update facts old set superseded_by_patch = later.patch_id
  from patches p, lateral (
    select fresh.superseded_by_patch as patch_id, fresh.supersedes_fact_id, next.source_id
    from facts fresh join patches next on next.id = fresh.superseded_by_patch
    where fresh.patch_id = p.id
  ) as later
  where p.id = $1 and old.superseded_by_patch = p.id
    and (later.supersedes_fact_id in (old.id, old.repeats_fact_id) or (later.source_id = p.source_id and old.source_id = p.source_id))`)

const RESTORE_SUPERSEDED = statement(`update facts set superseded_at = null, superseded_by_patch = null,
    valid_to = nullif(valid_to, said_at(superseded_at))
  where superseded_by_patch = $1`)

const REJECT_ACTIVE = statement(`update facts set state = 'rejected', repeats_fact_id = null
  where patch_id = $1 and (state = 'active' or repeats_fact_id is not null)`)

/**
 * Handles repetitions of a fact that ended with its source or patch: they support another active fact that says the same,
 * or else the first of them becomes active.
 */
export async function settleRepeats(within: Run, reflectionId: string): Promise<void> {
  for (;;) {
    await within(REASSIGN_REPEATS, [reflectionId, SINGLE_VALUE_PREDICATES])
    const revived = await within(REVIVE, [reflectionId])
    if (revived.length === 0) return
  }
}

const IS_ORPHAN = `said.reflection_id = $1 and said.repeats_fact_id is not null and said.superseded_at is null
  and not exists (
    select from facts f where f.id = said.repeats_fact_id and f.state = 'active' and f.superseded_at is null
  )`

const REASSIGN_REPEATS = statement(`update facts set repeats_fact_id = heir.known_id
  from (
    select distinct on (said.id) said.id, known.id as known_id
    from facts said join facts known on ${SAYS_THE_SAME}
    where ${IS_ORPHAN}
    order by said.id, known.created_at, known.id
  ) as heir
  where facts.id = heir.id`)

// One of each at a time: the next round links the others to it.
const REVIVE = statement(`update facts set state = 'active', repeats_fact_id = null
  where id in (
    select distinct on (said.namespace_id, said.subject_key, said.predicate, said.object_key) said.id
    from facts said where ${IS_ORPHAN}
    order by said.namespace_id, said.subject_key, said.predicate, said.object_key, said.valid_from,
      said.created_at, said.id
  )
  returning id`)
