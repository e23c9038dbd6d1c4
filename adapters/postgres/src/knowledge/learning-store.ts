import {
  FactId,
  REVIEWED_STATUS,
  type ReflectionId,
  type ReviewPatch,
  type SourceId,
} from '@parley/contracts'
import {
  type ActiveFact,
  type Correction,
  type CorrectionRequest,
  type LearningStore,
  PREDICATES_NAMING_PEOPLE,
} from '@parley/knowledge'
import { findRecord } from '../records.ts'
import { type Run, ignoreRows } from '../run-statements.ts'
import { applyPatch, rejectPatch, revertPatch, resolveContradictions, resolveRepeats } from './apply-patch.ts'
import { LOCK_KNOWLEDGE } from './apply-run.ts'
import { toCandidateColumns } from './ingest-rows.ts'
import { type StoreHost, requestRebuild } from './store-host.ts'
import { statement } from '../statement.ts'

/** Jobs other than ingest, through the login of `parley_learning`. */
export function postgresLearningStore({ run, transact, jobs }: StoreHost): LearningStore {
  return {
    applyReview: (patchId, decision, by) =>
      transact(async (execute) => {
        const [owner] = await execute<ReflectionRow>(REFLECTION_OF_PATCH, [patchId])
        if (!owner) return
        await execute(LOCK_KNOWLEDGE, [owner.reflection_id])
        const [patch] = await execute<{ status: string }>(LOCK_PATCH, [patchId])
        // Requested twice, or another person was faster.
        if (patch?.status !== REVIEWED_STATUS[decision]) return
        await DECIDE_PATCH[decision](execute, patchId, by)
        await resolveRepeats(execute, owner.reflection_id)
        await requestRebuild(jobs, execute, owner.reflection_id)
      }),

    async readCorrection(patchId) {
      const [row] = await run<ProposalRow>(READ_PROPOSAL, [patchId])
      if (!row) return undefined
      const known = await findMeantFact(run, row)
      return {
        patchId,
        reflectionId: row.reflection_id,
        displayName: row.display_name,
        ...(row.creator_name !== null && { creatorName: row.creator_name }),
        proposal: { fact: row.fact, correction: row.correction },
        date: row.requested_at.toISOString(),
        ...(known && { known }),
      }
    },

    saveCorrection: (request, correction) =>
      transact((execute) => saveCorrection(execute, request, correction)),

    eraseSource: (sourceId) =>
      transact(async (execute) => {
        const [owner] = await execute<ReflectionRow>(REFLECTION_OF_SOURCE, [sourceId])
        await execute(ERASE_SOURCE, [sourceId])
        if (!owner) return
        await resolveRepeats(execute, owner.reflection_id)
        await requestRebuild(jobs, execute, owner.reflection_id)
      }),

    eraseReflection: (reflectionId) => ignoreRows(run(ERASE_REFLECTION, [reflectionId])),
  }
}

interface ReflectionRow {
  readonly reflection_id: ReflectionId
}

const DECIDE_PATCH: Record<ReviewPatch, (execute: Run, patchId: string, by: string) => Promise<void>> = {
  async approve(execute, patchId, by) {
    await resolveContradictions(execute, patchId)
    await applyPatch(execute, patchId, by)
  },
  reject: rejectPatch,
  revert: revertPatch,
}

const REFLECTION_OF_PATCH = statement('select reflection_id from patches where id = $1')

const REFLECTION_OF_SOURCE = statement('select reflection_id from sources where id = $1')

const LOCK_PATCH = statement('select status from patches where id = $1 for update')

const ERASE_SOURCE = statement('select erase_source($1)')

const ERASE_REFLECTION = statement('select erase_reflection($1)')

/**
 * Stores a correction as a patch. The person's words become a source, named by the evidence. They are confidential in
 * every namespace.
 */
async function saveCorrection(
  execute: Run,
  { patchId, reflectionId, known }: CorrectionRequest,
  { fact, evaluation }: Correction,
): Promise<void> {
  await execute(LOCK_KNOWLEDGE, [reflectionId])
  const isDecidable = fact !== undefined && known !== undefined
  const [created] = await execute(isDecidable ? PROPOSE : REJECT, [
    patchId,
    reflectionId,
    JSON.stringify(evaluation),
  ])
  if (!created || !isDecidable) return
  const sourceId = patchId.replace(/^pat_/, 'src_') as SourceId
  await execute(INSERT_SOURCE, [sourceId, known.id])
  await execute(SAVE_FACT, [patchId, known.id, sourceId, ...toCandidateColumns(sourceId, [[0, fact]])])
}

interface ProposalRow {
  readonly reflection_id: ReflectionId
  readonly display_name: string
  readonly creator_name: string | null
  readonly fact: string
  readonly correction: string
  readonly requested_at: Date
  /** Where the person may write; null for everywhere. */
  readonly namespace_ids: readonly string[] | null
}

function findMeantFact(
  run: Run,
  { reflection_id, fact, namespace_ids }: ProposalRow,
): Promise<ActiveFact | undefined> {
  return findRecord<ActiveFact>(
    FactId.safeParse(fact).success
      ? run(FIND_BY_ID, [reflection_id, fact, namespace_ids])
      : run(FIND_BY_WORDS, [reflection_id, fact, [...PREDICATES_NAMING_PEOPLE], namespace_ids]),
  )
}

const READ_PROPOSAL =
  statement(`select i.reflection_id, r.display_name, r.creator_name, i.payload ->> 'fact' as fact,
    i.payload ->> 'correction' as correction, i.requested_at,
    (select m.namespace_ids from reflection_members m
      where m.reflection_id = i.reflection_id and m.person_id = i.requested_by) as namespace_ids
  from intake i join reflections r on r.id = i.reflection_id and r.removed_at is null
  where i.kind = 'correction' and i.payload ->> 'patchId' = $1
    and not exists (select from patches where id = $1)`)

const ACTIVE = `select f.id, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.statement, f.valid_from
  from facts f`

const FIND_BY_ID = statement(`
  ${ACTIVE} where f.reflection_id = $1 and f.id = $2 and f.state = 'active' and f.superseded_at is null
  and ($3::text[] is null or f.namespace_id = any($3))`)

// The fact that shares most words; of several, one about the person, then the one with the fewest other words. It has
// more than half of the given words, without those of its subject, since every fact about a person has their name. A
// fact about somebody else must have all the words, and every known person that was named.
const FIND_BY_WORDS = statement(`with question as materialized (
    select tsvector_to_array(words_of($2)) as words, tsvector_to_array(words_of(concat_ws(
      ' ', display_name, creator_name, array_to_string(former_names, ' ')
    ))) as names
    from reflections where id = $1
  ), named as materialized (
    select distinct subject.words from question, facts f,
      lateral (select tsvector_to_array(words_of(f.subject)) as words) as subject
    where f.reflection_id = $1 and f.state = 'active' and f.superseded_at is null
      and subject.words <@ question.words and not subject.words && question.names
      and ($4::text[] is null or f.namespace_id = any($4))
  )
  ${ACTIVE} cross join question
    cross join lateral (select tsvector_to_array(words_of(f.subject)) as words) as subject
    cross join lateral (select subject.words && question.names as is_person) as about
    cross join lateral (
      select count(*) filter (where is_shared) as shared,
        count(*) filter (where is_shared and not is_name) as matching,
        count(*) filter (where not is_name) as given
      from (
        select word = any(tsvector_to_array(f.words)) as is_shared,
          word = any(subject.words) or (about.is_person and word = any(question.names)) as is_name
        from unnest(question.words) as word
      ) as each
    ) as counted
  where f.reflection_id = $1 and f.state = 'active' and f.superseded_at is null and counted.matching > 0
    and ($4::text[] is null or f.namespace_id = any($4))
    and counted.matching > case when f.predicate = any($3::text[]) then counted.given - 1 else counted.given / 2 end
    and not exists (select from named where not named.words <@ tsvector_to_array(f.words))
  order by counted.shared desc, about.is_person desc, length(f.words), f.created_at desc, f.id limit 1`)

const PROPOSE = statement(`
  insert into patches (id, reflection_id, origin, evaluation) values ($1, $2, 'correction', $3)
  on conflict do nothing returning id`)

const REJECT = statement(`
  insert into patches (id, reflection_id, origin, evaluation, status, decided_by, decided_at)
  values ($1, $2, 'correction', $3, 'rejected', 'rule', now()) on conflict do nothing returning id`)

const INSERT_SOURCE = statement(`insert into sources (id, reflection_id, namespace_id, title)
  select $1, reflection_id, namespace_id, 'Correction' from facts where id = $2`)

const SAVE_FACT = statement(`
  insert into facts (patch_id, reflection_id, namespace_id, source_id, id, ordinal, subject, subject_key,
    predicate, object, object_key, statement, confidence, evidence, valid_from, valid_to, is_confided)
  select $1, known.reflection_id, known.namespace_id, $3, given.*, true
  from facts known, unnest($4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::float8[], $13::json[], $14::text[], $15::text[]) as given
  where known.id = $2`)
