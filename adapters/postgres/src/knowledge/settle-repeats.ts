import type { Run } from '../queries.ts'
import { ONE_AT_A_TIME_VALUES, SAYS_THE_SAME } from './says-the-same.ts'

/**
 * Where a fact has ended with its source or patch, but others say it too: they bear out another active fact that says the
 * same, or else the first of them becomes active.
 */
export async function settleRepeats(within: Run, reflectionId: string): Promise<void> {
  for (;;) {
    await within(BEAR_OUT_ANOTHER, [reflectionId, ONE_AT_A_TIME_VALUES])
    const revived = await within(REVIVE, [reflectionId])
    if (revived.length === 0) return
  }
}

const IS_ORPHAN = `said.reflection_id = $1 and said.repeats_fact_id is not null and said.superseded_at is null
  and not exists (
    select from facts f where f.id = said.repeats_fact_id and f.state = 'active' and f.superseded_at is null
  )`

const BEAR_OUT_ANOTHER = {
  name: 'bear_out_another',
  text: `update facts set repeats_fact_id = heir.known_id
    from (
      select distinct on (said.id) said.id, known.id as known_id
      from facts said join facts known on ${SAYS_THE_SAME}
      where ${IS_ORPHAN}
      order by said.id, known.created_at, known.id
    ) as heir
    where facts.id = heir.id`,
}

// One of each at a time: what says the same bears that out then.
const REVIVE = {
  name: 'revive_repeats',
  text: `update facts set state = 'active', repeats_fact_id = null
    where id in (
      select distinct on (said.namespace_id, said.subject_key, said.predicate, said.object_key) said.id
      from facts said where ${IS_ORPHAN}
      order by said.namespace_id, said.subject_key, said.predicate, said.object_key, said.valid_from,
        said.created_at, said.id
    )
    returning id`,
}
