import { CONVERSATIONS, type ReflectionSummary, type Source } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { leftOut, PATCHES } from './patches.ts'
import { ALL_SOURCES } from './sources.ts'
import type { StoreHost } from './store-host.ts'

/** How much there is of a reflection. */
export function summary({ run }: Pick<StoreHost, 'run'>): Pick<ReflectionStore, 'summary'> {
  return {
    async summary(reflectionId, seen) {
      const values = [reflectionId, seen.withoutConfided ? CONVERSATIONS : null]
      const [sources, [waiting], namespaces] = await Promise.all([
        run<StateRow>(SOURCES, values),
        run<{ count: number }>(WAITING, [reflectionId, ...leftOut({ ...seen })]),
        run<NamespaceRow>(NAMESPACES, values),
      ])
      const counted = { learned: 0, busy: 0, wrong: 0 }
      for (const { state, count } of sources) counted[STANDS[state]] += count
      return { sources: counted, waiting: waiting?.count ?? 0, namespaces: [...namespaces] }
    },
  }
}

const STANDS: Record<Source['state'], keyof ReflectionSummary['sources']> = {
  queued: 'busy',
  running: 'busy',
  removing: 'busy',
  completed: 'learned',
  duplicate_skipped: 'learned',
  eval_rejected: 'wrong',
  failed: 'wrong',
}

interface StateRow {
  readonly state: Source['state']
  readonly count: number
}

type NamespaceRow = ReflectionSummary['namespaces'][number]

const SOURCES = {
  name: 'count_sources',
  text: `select state, count(*)::int as count from (${ALL_SOURCES}) as s
    where $2::text is null or namespace <> $2 group by state`,
}

const WAITING = {
  name: 'count_waiting',
  text: `select count(*)::int as count from (${PATCHES}) as p where p.status = 'proposed'`,
}

const NAMESPACES = {
  name: 'count_in_namespaces',
  text: `select n.name,
      (select count(*)::int from sources s
        where s.namespace_id = n.id and ($2::text is null or n.name <> $2)) as sources,
      (select count(*)::int from facts f
        where f.namespace_id = n.id and f.state = 'active' and f.superseded_at is null) as facts
    from namespaces n where n.reflection_id = $1 order by n.name`,
}
