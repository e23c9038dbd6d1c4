import type { ReflectionsClient } from '@parley/api-client'
import type { Fact, FactId, PatchId, ReflectionId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFacts, type ShownFact } from './shown-facts.ts'

const reflectionId = 'rfl_1' as ReflectionId

type Kept = { readonly state: Fact['state']; readonly isSuperseded: boolean }

const fact = (index: number, state: Fact['state']): Fact => ({
  id: `fct_${index}` as FactId,
  namespace: 'general',
  subject: 'Ada',
  predicate: 'lives_in',
  object: 'Oslo',
  statement: 'Ada lives in Oslo.',
  confidence: 0.9,
  state,
  patchId: 'pat_1' as PatchId,
  evidence: [],
  createdAt: '2026-01-01T00:00:00.000Z',
})

/** Lists as the API does: the cursor is the last one's place, and the active ones are those that nothing superseded. */
const listOf = (kept: readonly Kept[]): Pick<ReflectionsClient, 'facts'> => ({
  facts: async ({ state, limit = 50, cursor }) => {
    const after = cursor === undefined ? -1 : Number(cursor)
    const there = kept
      .map((each, index) => ({ ...each, index }))
      .filter(({ index }) => index > after)
      .filter((each) => !state || (each.state === state && (state !== 'active' || !each.isSuperseded)))
    const last = there[limit - 1]
    return {
      items: there.slice(0, limit).map((each) => fact(each.index, each.state)),
      ...(there.length > limit && last && { nextCursor: String(last.index) }),
    }
  },
})

test('[K2] of everything, exactly the superseded ones are marked so, whatever the pages', async () => {
  const anyKept = fc.constantFrom<Kept>(
    { state: 'active', isSuperseded: false },
    { state: 'active', isSuperseded: true },
    { state: 'candidate', isSuperseded: false },
    { state: 'rejected', isSuperseded: false },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyKept, { maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      async (kept, limit) => {
        const read: ShownFact[] = []
        let cursor: string | undefined
        do {
          const page = await readFacts(listOf(kept), reflectionId, 'everything', {
            limit,
            ...(cursor && { cursor }),
          })
          read.push(...page.items)
          cursor = page.nextCursor
        } while (cursor)
        expect(read.map(({ isSuperseded }) => isSuperseded)).toEqual(
          kept.map(({ isSuperseded }) => isSuperseded),
        )
      },
    ),
  )
})

test('[K2] what is superseded is not among the active ones', async () => {
  const kept: readonly Kept[] = [
    { state: 'active', isSuperseded: true },
    { state: 'active', isSuperseded: false },
  ]
  const { items } = await readFacts(listOf(kept), reflectionId, 'active', { limit: 10 })
  expect(items.map(({ fact: { id } }) => id)).toEqual(['fct_1'])
})
