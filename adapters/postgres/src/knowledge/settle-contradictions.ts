import { ONE_AT_A_TIME, OPPOSITES } from '@parley/knowledge'
import type { Run } from '../queries.ts'

/**
 * A person's approval settles what the rules could not: what cannot be true beside an approved fact ends with it. Of two
 * such facts of the patch the later counts, else the surer. A fact that something newer contradicts by now is left out.
 */
export async function settleContradictions(within: Run, patchId: string): Promise<void> {
  await within(LEAVE_OUT_RIVALS, [patchId, ...rivals((kind) => kind !== 'mostly')])
  await within(LEAVE_OUT_OUTDATED, [patchId, ...rivals((kind) => kind !== 'fixed')])
  await within(TAKE_PLACE, [patchId, ...rivals(() => true)])
}

/** Predicates, and for each one that cannot be true beside it: itself, of which there is one at a time, or its opposite. */
function rivals(
  isWanted: (kind: 'changing' | 'mostly' | 'fixed') => boolean,
): readonly (readonly string[])[] {
  const alone = [...ONE_AT_A_TIME].flatMap(([predicate, kind]) => (isWanted(kind) ? [predicate] : []))
  return [
    [...alone, ...OPPOSITES.keys()],
    [...alone, ...OPPOSITES.values()],
  ]
}

/** Of `$2` and `$3`. */
const RIVAL = `unnest($2::text[], $3::text[]) as rival (one, other)`

const CANNOT_BOTH_BE = `rival.one = said.predicate and known.predicate = rival.other
  and known.namespace_id = said.namespace_id and known.subject_key = said.subject_key
  and case
    when rival.one <> rival.other then known.object_key = said.object_key
    else said.valid_to is null and known.valid_to is null
      and strpos(' ' || said.object_key || ' ', ' ' || known.object_key || ' ') = 0
      and strpos(' ' || known.object_key || ' ', ' ' || said.object_key || ' ') = 0
  end`

const IS_KNOWN = `known.state = 'active' and known.superseded_at is null and known.patch_id <> p.id
  and known.source_id is distinct from p.source_id`

// What has no date is taken to be as new as its source.
const LEAVE_OUT_RIVALS = {
  name: 'leave_out_rivals',
  text: `update facts said set state = 'rejected' where said.patch_id = $1 and said.state = 'candidate' and exists (
      select from ${RIVAL}, facts known where known.patch_id = $1 and known.state = 'candidate' and ${CANNOT_BOTH_BE}
        and (coalesce(known.valid_from, '9999'), known.confidence, known.ordinal)
          > (coalesce(said.valid_from, '9999'), said.confidence, said.ordinal)
    )`,
}

// A year says nothing of which of its days.
const LEAVE_OUT_OUTDATED = {
  name: 'leave_out_outdated',
  text: `update facts said set state = 'rejected' from patches p
    where p.id = $1 and p.origin = 'ingest' and said.patch_id = p.id and said.state = 'candidate' and exists (
      select from ${RIVAL}, facts known where ${IS_KNOWN} and ${CANNOT_BOTH_BE}
        and known.valid_from > said.valid_from and not starts_with(known.valid_from, said.valid_from)
    )`,
}

// Noted where the rules note what they found, so that it is told, applied and taken back as that is.
const TAKE_PLACE = {
  name: 'take_place_of_contradicted',
  text: `update patches set evaluation = jsonb_set(evaluation::jsonb, '{supersedes}',
      (evaluation::jsonb -> 'supersedes') || found.pairs)::json
    from (
      select jsonb_agg(jsonb_build_object('factId', known.id, 'by', said.id) order by said.ordinal, known.id) as pairs
      from patches p
      join facts said on said.patch_id = p.id and said.state = 'candidate'
      join ${RIVAL} on rival.one = said.predicate
      join facts known on ${IS_KNOWN} and ${CANNOT_BOTH_BE}
      where p.id = $1 and known.id not in (
        select s ->> 'factId'
        from json_array_elements((select evaluation -> 'supersedes' from patches where id = $1)) s
      )
    ) as found
    where id = $1 and found.pairs is not null`,
}
