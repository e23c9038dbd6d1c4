import { FactId, type ReflectionId, type SourceId } from '@parley/contracts'
import type { LearningStore } from '@parley/knowledge'
import type { Run } from '../queries.ts'
import { LOCK_REFLECTION } from './apply-run.ts'
import { type ActiveFactRow, candidateColumns, toActiveFact } from './ingest-rows.ts'
import type { IngestStoreHost } from './ingest-store.ts'

type Part = Pick<LearningStore, 'readCorrection' | 'saveCorrection'>

/** From what a person wants corrected to its patch. What they said is a source of its own, named by the evidence. */
export const correctionPatches = ({ run, transact }: IngestStoreHost): Part => ({
  async readCorrection(patchId) {
    const [row] = await run<AskedRow>(READ, [patchId])
    if (!row) return undefined
    const known = await meant(run, row)
    return {
      patchId,
      reflectionId: row.reflection_id,
      displayName: row.display_name,
      ...(row.creator_name !== null && { creatorName: row.creator_name }),
      asked: { fact: row.fact, correction: row.correction },
      date: row.requested_at.toISOString(),
      ...(known && { known: toActiveFact(known) }),
    }
  },

  saveCorrection: ({ patchId, reflectionId, known }, { fact, evaluation }) =>
    transact(async (within) => {
      await within(LOCK_REFLECTION, [reflectionId])
      const waits = fact !== undefined && known !== undefined
      const [made] = await within(waits ? PROPOSE : REJECT, [
        patchId,
        reflectionId,
        JSON.stringify(evaluation),
      ])
      if (!made || !waits) return
      const sourceId = patchId.replace(/^pat_/, 'src_') as SourceId
      await within(KEEP_SOURCE, [sourceId, known.id])
      await within(SAVE_FACT, [patchId, known.id, sourceId, ...candidateColumns(sourceId, [[0, fact]])])
    }),
})

interface AskedRow {
  readonly reflection_id: ReflectionId
  readonly display_name: string
  readonly creator_name: string | null
  readonly fact: string
  readonly correction: string
  readonly requested_at: Date
}

async function meant(run: Run, { reflection_id, fact }: AskedRow): Promise<ActiveFactRow | undefined> {
  const statement = FactId.safeParse(fact).success ? FIND_BY_ID : FIND_BY_WORDS
  const [row] = await run<ActiveFactRow>(statement, [reflection_id, fact])
  return row
}

const READ = {
  name: 'read_correction',
  text: `select i.reflection_id, r.display_name, r.creator_name, i.payload ->> 'fact' as fact,
      i.payload ->> 'correction' as correction, i.requested_at
    from intake i join reflections r on r.id = i.reflection_id and r.removed_at is null
    where i.kind = 'correction' and i.payload ->> 'patchId' = $1
      and not exists (select from patches where id = $1)`,
}

const ACTIVE = `select f.id, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.statement, f.valid_from,
    false as is_correction
  from facts f`

const FIND_BY_ID = {
  name: 'find_fact_by_id',
  text: `${ACTIVE} where f.reflection_id = $1 and f.id = $2 and f.state = 'active' and f.superseded_at is null`,
}

// The one that shares most words, at least half of those that were said; of several, the one with the fewest others.
const FIND_BY_WORDS = {
  name: 'find_fact_by_words',
  text: `${ACTIVE}, tsvector_to_array(words_of($2)) as asked,
      lateral (select count(*) as words from unnest(f.words) as own where own.lexeme = any(asked)) as shared
    where f.reflection_id = $1 and f.state = 'active' and f.superseded_at is null
      and shared.words > 0 and shared.words * 2 >= cardinality(asked)
    order by shared.words desc, length(f.words), f.created_at desc, f.id limit 1`,
}

const PROPOSE = {
  name: 'propose_correction',
  text: `insert into patches (id, reflection_id, origin, evaluation) values ($1, $2, 'correction', $3)
    on conflict do nothing returning id`,
}

const REJECT = {
  name: 'reject_correction',
  text: `insert into patches (id, reflection_id, origin, evaluation, status, decided_by, decided_at)
    values ($1, $2, 'correction', $3, 'rejected', 'rule', now()) on conflict do nothing returning id`,
}

const KEEP_SOURCE = {
  name: 'keep_source_of_correction',
  text: `insert into sources (id, reflection_id, namespace_id, title)
    select $1, reflection_id, namespace_id, 'Correction' from facts where id = $2`,
}

const SAVE_FACT = {
  name: 'save_corrected_fact',
  text: `insert into facts (patch_id, reflection_id, namespace_id, source_id, id, ordinal, subject, subject_key,
      predicate, object, object_key, statement, confidence, evidence, valid_from, valid_to)
    select $1, known.reflection_id, known.namespace_id, $3, given.*
    from facts known, unnest($4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
      $11::text[], $12::float8[], $13::json[], $14::text[], $15::text[]) as given
    where known.id = $2`,
}
