import { ONE_AT_A_TIME, OPPOSITES } from '@parley/knowledge'
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
export async function applyPatch(execute: Run, patchId: string, by: string): Promise<void> {
  await execute(MARK_REPEATS, [patchId, SINGLE_VALUE_PREDICATES])
  // Before they are activated: the patch's own facts must not count as replaced ones.
  await execute(LINK_EVALUATED, [patchId])
  await execute(LINK_EARLIER, [patchId])
  await execute(SUPERSEDE_EVALUATED, [patchId])
  await execute(SUPERSEDE_EARLIER, [patchId])
  await execute(ACTIVATE, [patchId])
  await execute(DECIDE, [patchId, 'applied', by])
}

export async function rejectPatch(execute: Run, patchId: string, by: string): Promise<void> {
  await execute(REJECT_CANDIDATES, [patchId])
  await execute(DECIDE, [patchId, 'rejected', by])
}

/** Rejects the patch's facts and restores those that they replaced, unless a later patch replaced them too. */
export async function revertPatch(execute: Run, patchId: string, by: string): Promise<void> {
  await execute(KEEP_SUPERSEDED_BY_LATER, [patchId])
  await execute(RESTORE_SUPERSEDED, [patchId])
  await execute(REJECT_ACTIVE, [patchId])
  await execute(DECIDE, [patchId, 'reverted', by])
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
export async function resolveRepeats(execute: Run, reflectionId: string): Promise<void> {
  for (;;) {
    await execute(REASSIGN_REPEATS, [reflectionId, SINGLE_VALUE_PREDICATES])
    const revived = await execute(REVIVE, [reflectionId])
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

/**
 * A person's approval decides what the rules could not: facts that contradict an approved fact end. Of two contradicting
 * facts in the patch the later one counts, else the more confident one. A fact that a newer one contradicts is left out.
 */
export async function resolveContradictions(execute: Run, patchId: string): Promise<void> {
  await execute(REJECT_RIVALS, [patchId, ...contradictingPredicates((kind) => kind !== 'mostly')])
  await execute(REJECT_OUTDATED, [patchId, ...contradictingPredicates((kind) => kind !== 'fixed')])
  await execute(ADD_REPLACEMENTS, [patchId, ...contradictingPredicates(() => true)])
}

/** Pairs of contradicting predicates: one with a single value at a time contradicts itself, others their opposite. */
function contradictingPredicates(
  isIncluded: (kind: 'changing' | 'mostly' | 'fixed') => boolean,
): readonly (readonly string[])[] {
  const alone = [...ONE_AT_A_TIME].flatMap(([predicate, kind]) => (isIncluded(kind) ? [predicate] : []))
  return [
    [...alone, ...OPPOSITES.keys()],
    [...alone, ...OPPOSITES.values()],
  ]
}

/** Pairs from `$2` and `$3`. */
const RIVALS = `unnest($2::text[], $3::text[]) as rival (one, other)`

const CONTRADICTS = `rival.one = said.predicate and known.predicate = rival.other
  and known.namespace_id = said.namespace_id and known.subject_key = said.subject_key
  and case
    when rival.one <> rival.other then known.object_key = said.object_key
    else said.valid_to is null and known.valid_to is null
      and strpos(' ' || said.object_key || ' ', ' ' || known.object_key || ' ') = 0
      and strpos(' ' || known.object_key || ' ', ' ' || said.object_key || ' ') = 0
  end`

const IS_KNOWN = `known.state = 'active' and known.superseded_at is null and known.patch_id <> p.id
  and known.source_id is distinct from p.source_id`

// A fact without a date counts as new as its source.
const REJECT_RIVALS = statement(`
  update facts said set state = 'rejected' where said.patch_id = $1 and said.state = 'candidate' and exists (
    select from ${RIVALS}, facts known where known.patch_id = $1 and known.state = 'candidate' and ${CONTRADICTS}
      and (coalesce(known.valid_from, '9999'), known.confidence, known.ordinal)
        > (coalesce(said.valid_from, '9999'), said.confidence, said.ordinal)
  )`)

// A year does not contradict one of its days.
const REJECT_OUTDATED = statement(`update facts said set state = 'rejected' from patches p
  where p.id = $1 and p.origin = 'ingest' and said.patch_id = p.id and said.state = 'candidate' and exists (
    select from ${RIVALS}, facts known where ${IS_KNOWN} and ${CONTRADICTS}
      and known.valid_from > said.valid_from and not starts_with(known.valid_from, said.valid_from)
  )`)

// Stored with the findings of the rules, to be shown, applied and reverted in the same way.
const ADD_REPLACEMENTS =
  statement(`update patches set evaluation = jsonb_set(evaluation::jsonb, '{supersedes}',
    (evaluation::jsonb -> 'supersedes') || found.pairs)::json
  from (
    select jsonb_agg(jsonb_build_object('factId', known.id, 'by', said.id) order by said.ordinal, known.id) as pairs
    from patches p
    join facts said on said.patch_id = p.id and said.state = 'candidate'
    join ${RIVALS} on rival.one = said.predicate
    join facts known on ${IS_KNOWN} and ${CONTRADICTS}
    where p.id = $1 and known.id not in (
      select s ->> 'factId'
      from json_array_elements((select evaluation -> 'supersedes' from patches where id = $1)) s
    )
  ) as found
  where id = $1 and found.pairs is not null`)
