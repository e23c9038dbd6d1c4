import { CONVERSATIONS, type PatchId, PlatformError } from '@parley/contracts'
import type { ConfidentialFilter, KnowledgeReader, ReflectionStore } from '@parley/knowledge'
import { checkReview } from '@parley/reflections'
import { RECORD_ACTION } from './audit.ts'
import { FACT_COLUMNS, FACT_TABLES } from './facts.ts'
import { toStorableJson } from './ingest-rows.ts'
import { type StoredFactRow, type PatchRow, toPatch } from './rows.ts'
import { type StoreHost, createId, requireReflection } from './store-host.ts'
import { parseTimePage, toTimePage } from '../pages.ts'
import { type Run, hasRows } from '../run-statements.ts'
import { statement } from '../statement.ts'

type PatchReader = Pick<KnowledgeReader, 'listPatches' | 'findPatch'>
type PatchWriter = Pick<ReflectionStore, 'isPreparing' | 'review' | 'proposeCorrection'>

export const createPatchReader = (run: Run): PatchReader => ({
  async listPatches(reflectionId, { status, excludeConfidential, exceptOf, ...page }) {
    const values = [
      reflectionId,
      ...toVisibilityValues({ excludeConfidential, exceptOf }),
      ...parseTimePage(page),
      status,
    ]
    const rows = await run<PatchRow>(LIST, values)
    const facts = await run<StoredFactRow>(LIST_PATCH_FACTS, [reflectionId, ...listFactIds(rows)])
    return toTimePage(page, rows, (row) => toPatch(row, facts))
  },

  async findPatch(reflectionId, patchId, visibility = {}) {
    const [row] = await run<PatchRow>(FIND, [reflectionId, ...toVisibilityValues(visibility), patchId])
    return (
      row && toPatch(row, await run<StoredFactRow>(LIST_PATCH_FACTS, [reflectionId, ...listFactIds([row])]))
    )
  },
})

/** Requests decisions and corrections. */
export function createPatchWriter({ run, transact, jobs }: StoreHost): PatchWriter {
  return {
    isPreparing: (reflectionId, patchId, visibility = {}) =>
      hasRows(run(FIND_CORRECTION, [reflectionId, ...toVisibilityValues(visibility), patchId])),

    review: (reflectionId, patchId, decision, by) =>
      transact(async (execute) => {
        const [row] = await execute<PatchRow>(FIND, [reflectionId, ...toVisibilityValues({}), patchId])
        if (!row) {
          throw new PlatformError('not_found', { message: `There is no patch ${patchId}.`, patchId })
        }
        checkReview(row, decision)
        await execute(REQUEST_REVIEW, [reflectionId, JSON.stringify({ patchId, said: decision }), by])
        await execute(RECORD_ACTION, [reflectionId, by, `patch_${decision}`, patchId])
        await jobs.send('review-patch', { patchId, said: decision, by }, execute, patchId)
      }),

    /** The patch gets its id at once; a job creates it. */
    proposeCorrection: (reflectionId, { fact, correction }, by) =>
      transact(async (execute) => {
        const patchId = createId('pat_') as PatchId
        const payload = toStorableJson({ patchId, fact, correction })
        await requireReflection(execute(REQUEST_CORRECTION, [reflectionId, payload, by]), reflectionId)
        await jobs.send('propose-correction', { patchId }, execute, patchId)
        return { patchId }
      }),
  }
}

/** The values of `PATCHES` after the reflection. */
export const toVisibilityValues = ({
  excludeConfidential,
  exceptOf,
}: {
  [name in keyof ConfidentialFilter]: ConfidentialFilter[name] | undefined
}) => [excludeConfidential ?? false, exceptOf]

const listFactIds = (rows: readonly PatchRow[]) => [
  rows.map(({ id }) => id),
  rows.flatMap(({ supersedes }) => supersedes),
]

const LIST_PATCH_FACTS = statement(`select ${FACT_COLUMNS} from ${FACT_TABLES}
  where f.reflection_id = $1 and (f.patch_id = any($2::text[]) or f.id = any($3::text[]))
  order by f.patch_id, f.ordinal`)

// A patch is listed once its run has ended.
export const PATCHES = `select p.id, p.origin, p.source_id, p.status, coalesce(p.evaluation -> 'findings', '[]') as findings, p.decided_by,
    p.created_at, p.decided_at, coalesce(p.evaluation -> 'supersedes', '[]') as replacements,
    array(
      select s ->> 'factId' from json_array_elements(p.evaluation -> 'supersedes') s
      union select f.id from facts f where f.superseded_by_patch = p.id
    ) as supersedes
  from patches p left join ingest_runs u on u.id = p.run_id
  where p.reflection_id = $1 and (p.run_id is null or u.outcome in ('completed', 'eval_rejected'))
    and (not $2 or case p.origin
      when 'correction' then exists (
        select from intake i where i.kind = 'correction' and i.payload ->> 'patchId' = p.id and i.requested_by = $3
      )
      else not exists (
        select from namespaces n where n.name = '${CONVERSATIONS}' and (
          n.id = u.namespace_id or exists (select from facts f where f.patch_id = p.id and f.namespace_id = n.id)
        )
      ) end)`

const FIND = statement(`${PATCHES} and p.id = $4`)

const FIND_CORRECTION = statement(`select i.id from intake i
  where i.reflection_id = $1 and i.kind = 'correction' and i.payload ->> 'patchId' = $4
    and (not $2 or i.requested_by = $3) and not exists (select from patches p where p.id = $4)`)

const LIST = statement(`
  ${PATCHES} and (p.created_at, p.id) < ($5::timestamptz, $6) and ($7::text is null or p.status = $7)
  order by p.created_at desc, p.id desc limit $4`)

const REQUEST_REVIEW = statement(`
  insert into intake (reflection_id, kind, payload, requested_by) values ($1, 'review_patch', $2, $3)`)

const REQUEST_CORRECTION = statement(`insert into intake (reflection_id, kind, payload, requested_by)
  select id, 'correction', $2::json, $3 from reflections where id = $1 and removed_at is null returning id`)
