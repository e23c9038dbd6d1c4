import type { ReflectionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { runSql } from '../server/testing/test-cluster.ts'
import { ADA, type KnowledgeBase, useKnowledgeBase } from './testing/knowledge-base.ts'

const base = await useKnowledgeBase()

test.each([1, 7, 50])(
  '[A5] pages of %i entries list every entry, also after the tenth and the hundredth',
  async (limit) => {
    const { reflections, audit } = base.database
    const { id } = await reflections.create({ displayName: 'Ada', ownerId: ADA })
    await runSql(
      base.databaseUrl,
      `insert into audit_log (reflection_id, who, what) select '${id}', 'per_ada', n from generate_series(1, 120) n`,
    )
    const wanted = Array.from({ length: 120 }, (_, n) => String(120 - n))
    expect(await listActions((page) => reflections.listAuditEntries(id, page), limit)).toEqual(wanted)
    const all = await listActions((page) => audit.read(page), limit)
    expect(all.slice(0, 120)).toEqual(wanted)
    expect((await audit.read({ limit: 1 })).items).toMatchObject([
      { reflectionId: id satisfies ReflectionId },
    ])
  },
)

type Read = KnowledgeBase['database']['audit']['read']

async function listActions(
  read: (page: Parameters<Read>[0]) => Promise<Pick<Awaited<ReturnType<Read>>, 'items' | 'nextCursor'>>,
  limit: number,
) {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await read({ limit, ...(cursor !== undefined && { cursor }) })
    seen.push(...page.items.map(({ what }) => what))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return seen
}
