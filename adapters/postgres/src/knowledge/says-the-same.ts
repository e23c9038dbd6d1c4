import { ONE_AT_A_TIME } from '@parley/knowledge'

/** That `known` is active and says what `said` says, in the same namespace; `$2` is the predicates that go by no date. */
export const SAYS_THE_SAME = `known.namespace_id = said.namespace_id and known.subject_key = said.subject_key
  and known.predicate = said.predicate and known.object_key = said.object_key
  and known.state = 'active' and known.superseded_at is null
  and (said.valid_from is null or said.valid_from = known.valid_from or said.predicate = any($2::text[]))`

export const ONE_AT_A_TIME_VALUES = [...ONE_AT_A_TIME.keys()]
