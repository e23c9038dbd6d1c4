import { CONVERSATIONS } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { IS_KNOWN } from './facts.ts'
import { leftOut, PATCHES } from './patches.ts'
import { ALL_SOURCES, IS_TOLD } from './sources.ts'
import type { StoreHost } from './store-host.ts'

/** How much there is of a reflection. */
export function summary({ run }: Pick<StoreHost, 'run'>): Pick<ReflectionStore, 'summary'> {
  return {
    async summary(reflectionId, seen) {
      const values = [reflectionId, seen.withoutConfided ? CONVERSATIONS : null]
      const [counted, [waiting], namespaces] = await Promise.all([
        run<SourcesRow>(SOURCES, values),
        run<{ count: number }>(WAITING, [reflectionId, ...leftOut({ ...seen })]),
        run<FactsRow>(FACTS, [reflectionId]),
      ])
      const total = (kind: 'learned' | 'busy' | 'wrong') => counted.reduce((sum, row) => sum + row[kind], 0)
      const sourcesIn = (name: string) => {
        const { learned = 0, busy = 0 } = counted.find(({ namespace }) => namespace === name) ?? {}
        return learned + busy
      }
      return {
        sources: { learned: total('learned'), busy: total('busy'), wrong: total('wrong') },
        waiting: waiting?.count ?? 0,
        namespaces: namespaces.map(({ name, facts }) => ({ name, sources: sourcesIn(name), facts })),
      }
    },
  }
}

interface SourcesRow extends Readonly<Record<'learned' | 'busy' | 'wrong', number>> {
  readonly namespace: string
}

interface FactsRow {
  readonly name: string
  readonly facts: number
}

const SOURCES = {
  name: 'count_sources',
  text: `select namespace,
      count(*) filter (where ${IS_TOLD} and state not in ('queued', 'running'))::int as learned,
      count(*) filter (where ${IS_TOLD} and state in ('queued', 'running'))::int as busy,
      count(*) filter (where not (${IS_TOLD}))::int as wrong
    from (${ALL_SOURCES}) as s
    where state <> 'removing' and ($2::text is null or namespace <> $2) group by namespace`,
}

const WAITING = {
  name: 'count_waiting',
  text: `select count(*)::int as count from (${PATCHES}) as p where p.status = 'proposed'`,
}

const FACTS = {
  name: 'count_facts_in_namespaces',
  text: `select n.name, count(f.id)::int as facts
    from namespaces n left join facts f on f.namespace_id = n.id and ${IS_KNOWN}
    where n.reflection_id = $1 group by n.name order by n.name`,
}
