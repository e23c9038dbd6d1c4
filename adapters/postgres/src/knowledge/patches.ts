import { PlatformError, type ReviewPatch } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { pageOf, pageValues } from './paging.ts'
import { AUDIT } from './audit.ts'
import { type FactRow, type PatchRow, toFact, toPatch } from './rows.ts'
import type { StoreHost } from './store-host.ts'

type Part = Pick<ReflectionStore, 'facts' | 'patches' | 'findPatch' | 'review'>

/** What a patch has to be for a person to say this of it. */
export const REVIEWED_STATUS: Record<ReviewPatch, PatchRow['status']> = {
  approve: 'proposed',
  reject: 'proposed',
  revert: 'applied',
}

/** Facts and the patches that they come in, to read; and what a person says of a patch. */
export function patches({ run, transact, jobs }: StoreHost): Part {
  return {
    async facts(reflectionId, { state, ...page }) {
      const rows = await run<FactRow>(LIST_FACTS, [reflectionId, ...pageValues(page), state ?? null])
      return pageOf(page, rows, toFact)
    },

    async patches(reflectionId, { status, ...page }) {
      const rows = await run<PatchRow>(LIST, [reflectionId, ...pageValues(page), status ?? null])
      const facts = await run<FactRow>(FACTS_OF, [reflectionId, ...idsIn(rows)])
      return pageOf(page, rows, (row) => toPatch(row, facts))
    },

    async findPatch(reflectionId, patchId) {
      const [row] = await run<PatchRow>(FIND, [reflectionId, patchId])
      return row && toPatch(row, await run<FactRow>(FACTS_OF, [reflectionId, ...idsIn([row])]))
    },

    review: (reflectionId, patchId, said, by) =>
      transact(async (within) => {
        const [row] = await within<PatchRow>(FIND, [reflectionId, patchId])
        if (!row) {
          throw new PlatformError('not_found', { message: `There is no patch ${patchId} here.`, patchId })
        }
        if (row.status !== REVIEWED_STATUS[said]) throw notPending(row, said)
        await within(ASK_TO_REVIEW, [reflectionId, JSON.stringify({ patchId, said }), by])
        await within(AUDIT, [reflectionId, by, `patch_${said}`, patchId])
        await jobs.send('review-patch', { patchId, said, by }, within, patchId)
      }),
  }
}

const idsIn = (rows: readonly PatchRow[]) => [
  rows.map(({ id }) => id),
  rows.flatMap(({ supersedes }) => supersedes),
]

const notPending = ({ id, status }: PatchRow, said: ReviewPatch) =>
  new PlatformError('patch_not_pending', {
    message: `The patch ${id} is ${status}; only one that is ${REVIEWED_STATUS[said]} can be taken to “${said}”.`,
    patchId: id,
    status,
  })

// What bears a fact out is its own evidence, and that of all who say it again.
const FACT_COLUMNS = `f.id, n.name as namespace, f.subject, f.predicate, f.object, f.statement, f.confidence, f.state,
  f.valid_from, coalesce(f.valid_to, next.valid_from) as valid_to, f.supersedes_fact_id, f.repeats_fact_id,
  f.superseded_at, f.patch_id, f.created_at, next.id as superseded_by,
  (select coalesce(json_agg(item order by said.id <> f.id, said.created_at, said.id), '[]')
    from facts said, json_array_elements(said.evidence) item
    where said.id = f.id or (said.repeats_fact_id = f.id and said.superseded_at is null)) as evidence`

// With what took its place: from then on that was so.
const FACTS = `facts f join namespaces n on n.id = f.namespace_id left join lateral (
    select next.id, next.valid_from from facts next
    where next.patch_id = f.superseded_by_patch and next.supersedes_fact_id = f.id order by next.ordinal limit 1
  ) as next on true`

// The active ones are those that are true now: a fact that another took the place of is kept, but not among them.
const LIST_FACTS = {
  name: 'list_facts',
  text: `select ${FACT_COLUMNS} from ${FACTS}
    where f.reflection_id = $1 and (f.created_at, f.id) < ($3::timestamptz, $4)
      and ($5::text is null or (
        f.state = $5 and f.repeats_fact_id is null and ($5 <> 'active' or f.superseded_at is null)
      ))
    order by f.created_at desc, f.id desc limit $2`,
}

const FACTS_OF = {
  name: 'facts_of_patches',
  text: `select ${FACT_COLUMNS} from ${FACTS}
    where f.reflection_id = $1 and (f.patch_id = any($2::text[]) or f.id = any($3::text[]))
    order by f.patch_id, f.ordinal`,
}

// A patch is there to be read once its run has come to its end.
const PATCHES = `select p.id, p.origin, p.source_id, p.status, p.evaluation -> 'findings' as findings, p.decided_by,
    p.created_at, p.decided_at, p.evaluation -> 'supersedes' as replacements,
    array(
      select s ->> 'factId' from json_array_elements(p.evaluation -> 'supersedes') s
      union select f.id from facts f where f.superseded_by_patch = p.id
    ) as supersedes
  from patches p left join ingest_runs u on u.id = p.run_id
  where p.reflection_id = $1 and (p.run_id is null or u.outcome in ('completed', 'eval_rejected'))`

const FIND = { name: 'find_patch', text: `${PATCHES} and p.id = $2` }

const LIST = {
  name: 'list_patches',
  text: `${PATCHES} and (p.created_at, p.id) < ($3::timestamptz, $4) and ($5::text is null or p.status = $5)
    order by p.created_at desc, p.id desc limit $2`,
}

const ASK_TO_REVIEW = {
  name: 'ask_to_review_patch',
  text: `insert into intake (reflection_id, kind, payload, requested_by) values ($1, 'review_patch', $2, $3)`,
}
