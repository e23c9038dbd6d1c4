import { CONVERSATIONS, type FactChoice, type FactOrder } from '@parley/contracts'
import type { FactFilter, KnowledgeReader } from '@parley/knowledge'
import { type StoredFactRow, toFact } from './rows.ts'
import { parseTimePage, toTimePage } from '../pages.ts'
import type { Run } from '../run-statements.ts'
import { type SqlStatement, statement } from '../statement.ts'

type FactReader = Pick<KnowledgeReader, 'listFacts' | 'listFactSection' | 'readFactHistory'>

/** Reads facts: in pages as they were learned, by offset in another order, or one with its history. */
export function createFactReader(run: Run): FactReader {
  return {
    async listFacts(reflectionId, { limit, cursor, ...filter }) {
      const page = { limit, ...(cursor !== undefined && { cursor }) }
      const [most, at, id] = parseTimePage(page)
      const rows = await run<StoredFactRow>(LIST_FACTS, [
        reflectionId,
        ...toFilterValues(filter),
        most,
        at,
        id,
      ])
      return toTimePage(page, rows, toFact)
    },

    async listFactSection(reflectionId, { after, limit, order = 'added', ...filter }) {
      const values = [reflectionId, ...toFilterValues(filter)]
      const [counted, rows] = await Promise.all([
        run<{ count: number }>(COUNT_FACTS, values),
        run<StoredFactRow>(FACTS_FROM[order], [...values, limit, after]),
      ])
      return { items: rows.map(toFact), count: counted[0]?.count ?? 0 }
    },

    async readFactHistory(reflectionId, factId) {
      const rows = await run<StoredFactRow>(HISTORY, [reflectionId, factId, MAX_HISTORY])
      return rows.map(toFact)
    },
  }
}

const MAX_HISTORY = 200

const toFilterValues = ({ state, namespace, sourceId, search = '', excludeConfidential }: FactFilter) => [
  state,
  namespace,
  sourceId,
  search
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`),
  excludeConfidential ?? false,
]

// The evidence of a fact and of its repetitions, in the same namespace.
export const FACT_COLUMNS = `f.id, n.name as namespace, f.subject, f.predicate, f.object, f.statement, f.confidence, f.state,
  f.valid_from, coalesce(f.valid_to, next.valid_from) as valid_to, f.supersedes_fact_id, f.repeats_fact_id,
  f.superseded_at, f.patch_id, f.created_at, next.id as superseded_by,
  (select coalesce(json_agg(json_build_object(
        'sourceId', item -> 'sourceId', 'quote', item -> 'quote', 'place', item -> 'place',
        'isConfided', said.is_confided or n.name = '${CONVERSATIONS}'
      ) order by said.id <> f.id, said.created_at, said.id), '[]')
    from facts said, json_array_elements(said.evidence) item
    where said.id = f.id or (said.repeats_fact_id = f.id and said.superseded_at is null)) as evidence`

// Joins the fact that replaced it: the end of the replaced fact is the start of the new one.
export const FACT_TABLES = `facts f join namespaces n on n.id = f.namespace_id left join lateral (
    select next.id, next.valid_from from facts next
    where next.patch_id = f.superseded_by_patch and next.supersedes_fact_id = f.id order by next.ordinal limit 1
  ) as next on true`

// Hides the facts of removed sources until the jobs delete them.
export const NOT_WITHHELD = `(coalesce(f.source_id, f.evidence -> 0 ->> 'sourceId'), f.namespace_id) not in (
  select w.source_id, w.namespace_id from gate.withheld(array(select id from namespaces where reflection_id = $1)) w
)`

/** Active facts, each once, however many sources say it. */
export const IS_KNOWN = `f.state = 'active' and f.superseded_at is null and f.repeats_fact_id is null and ${NOT_WITHHELD}`

// Active facts are true now: a superseded fact is kept, but not among them.
const FACT_CHOICES: Record<FactChoice, string> = {
  active: `f.superseded_at is null and (
    f.state = 'active' and f.repeats_fact_id is null or $4::text is not null and f.repeats_fact_id is not null
  )`,
  candidate: `f.state = 'candidate' and f.repeats_fact_id is null`,
  rejected: `f.state = 'rejected' and f.repeats_fact_id is null`,
  superseded: `f.superseded_at is not null and (f.state = 'active' or f.repeats_fact_id is not null)`,
}

const FACT_FILTER = `f.reflection_id = $1
    and case $2::text ${Object.entries(FACT_CHOICES)
      .map(([choice, condition]) => `when '${choice}' then ${condition}`)
      .join(' ')} else true end
    and ($3::text is null or n.name = $3)
    and ($4::text is null or f.source_id = $4)
    and f.statement ilike all($5::text[])
    and (not $6 or f.state = 'active' or not (f.is_confided or n.name = '${CONVERSATIONS}'))`

const COUNT_FACTS = statement(`
  select count(*)::int as count from facts f join namespaces n on n.id = f.namespace_id where ${FACT_FILTER}`)

// The order of the indexes.
const ORDERS: Record<FactOrder, string> = {
  added: 'f.created_at desc, f.id desc',
  time: `coalesce(f.valid_from, '') collate "C" desc, f.subject_key collate "C", f.id`,
  subject: `f.subject_key collate "C", f.predicate collate "C", coalesce(f.valid_from, '') collate "C" desc, f.id`,
}

// Only the facts of the page are joined with their repetitions and replacements.
const selectFacts = (order: FactOrder, bounds: string) => `with picked as materialized (
      select f.id from facts f join namespaces n on n.id = f.namespace_id
      where ${FACT_FILTER} ${bounds}
    )
    select ${FACT_COLUMNS} from picked join (${FACT_TABLES}) on f.id = picked.id order by ${ORDERS[order]}`

const buildFactsFrom = (order: FactOrder) =>
  statement(selectFacts(order, `order by ${ORDERS[order]} limit $7 offset $8`))

const FACTS_FROM: Record<FactOrder, SqlStatement> = {
  added: buildFactsFrom('added'),
  time: buildFactsFrom('time'),
  subject: buildFactsFrom('subject'),
}

const LIST_FACTS = statement(
  selectFacts('added', `and (f.created_at, f.id) < ($8::timestamptz, $9) order by ${ORDERS.added} limit $7`),
)

// A rejected fact replaced nothing, though a reverted patch still names the facts that it had replaced.
const HISTORY = statement(`with recursive chain as (
    select id, supersedes_fact_id from facts where reflection_id = $1 and id = $2
    union
    select f.id, f.supersedes_fact_id from facts f join chain c
      on f.id = c.supersedes_fact_id or f.supersedes_fact_id = c.id
    where f.reflection_id = $1 and f.state <> 'rejected'
  )
  select ${FACT_COLUMNS} from (${FACT_TABLES}) join chain on chain.id = f.id
  order by coalesce(f.valid_from, ''), f.created_at, f.id limit $3`)
