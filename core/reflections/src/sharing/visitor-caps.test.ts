import type { PersonId, SessionId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LinkUsage } from '../ports/share-link-store.ts'
import {
  VISITOR_CAPS,
  decideReconnect,
  decideVisit,
  isVisitor,
  findStartOfDay,
  computeVisitorBudget,
  createVisitorId,
  createVisitorLimits,
} from './visitor-caps.ts'

const { sessionsAtOnce, startsPerDay, microcentsPerDay } = VISITOR_CAPS
const noon = Date.UTC(2026, 2, 14, 12)
const unused: LinkUsage = { started: 0, active: 0, microcents: 0 }

test.each<[string, Partial<LinkUsage>, number, number | undefined]>([
  ['a link that nobody used', {}, 0, undefined],
  ['room for one more', { active: sessionsAtOnce - 2 }, 1, undefined],
  ['as many on as may be', { active: sessionsAtOnce }, 0, 60],
  ['as many on and starting as may be', { active: sessionsAtOnce - 1 }, 1, 60],
  ['the last start of the day', { started: startsPerDay - 1 }, 0, undefined],
  ['all starts of the day', { started: startsPerDay }, 0, 12 * 3600],
  ['the last of them under way', { started: startsPerDay - 1 }, 1, 12 * 3600],
  ['the last micro-cent left', { microcents: microcentsPerDay - 1 }, 0, undefined],
  ['the money of the day spent', { microcents: microcentsPerDay }, 0, 12 * 3600],
])('[A4] %s', (_, used, starting, retryAfterSeconds) => {
  const decision = decideVisit({ usage: { ...unused, ...used }, starting, now: noon })
  expect(decision).toMatchObject(
    retryAfterSeconds === undefined ? { kind: 'allowed' } : { kind: 'refused', retryAfterSeconds },
  )
})

test.each<[string, Partial<LinkUsage>, number | undefined]>([
  ['all its sessions are on', { active: sessionsAtOnce }, undefined],
  ['a start of the day is left', { started: startsPerDay - 1 }, undefined],
  ['all starts of the day are taken', { started: startsPerDay }, 12 * 3600],
  ['the money of the day is spent', { microcents: microcentsPerDay }, 12 * 3600],
])('[A4] a call is connected anew by what is left of the day: %s', (_, used, retryAfterSeconds) => {
  const decision = decideReconnect({ usage: { ...unused, ...used }, now: noon })
  expect(decision).toMatchObject(
    retryAfterSeconds === undefined ? { kind: 'allowed' } : { kind: 'refused', retryAfterSeconds },
  )
})

test('a day begins at midnight, UTC', () => {
  expect(new Date(findStartOfDay(noon)).toISOString()).toBe('2026-03-14T00:00:00.000Z')
  expect(findStartOfDay(findStartOfDay(noon))).toBe(findStartOfDay(noon))
})

test.each<[string, Partial<LinkUsage>, number, number]>([
  ['alone, all of the day', { active: 1 }, 0, microcentsPerDay],
  ['before it counts as on, all of the day', { active: 0 }, 0, microcentsPerDay],
  ['one of two, its half', { active: 2 }, 0, microcentsPerDay / 2],
  ['its cost so far, and the rest of the day', { active: 1, microcents: 10 }, 10, microcentsPerDay],
  ['only its cost so far, once the day is spent', { active: 1, microcents: microcentsPerDay + 1 }, 10, 10],
])('[A4] a visitor’s session may cost: %s', (_, used, microcents, expected) => {
  expect(computeVisitorBudget({ ...unused, ...used }, { microcents })).toBe(expected)
})

test('[A4] all sessions that are on, each at its whole budget, stay within the day', () => {
  const spending = fc.array(fc.nat({ max: microcentsPerDay }), { minLength: 1, maxLength: sessionsAtOnce })
  fc.assert(
    fc.property(spending, (weights) => {
      const all = weights.reduce((sum, weight) => sum + weight, 0)
      const scale = all > microcentsPerDay ? microcentsPerDay / all : 1
      const spent = weights.map((weight) => Math.floor(weight * scale))
      const microcents = spent.reduce((sum, each) => sum + each, 0)
      const usage = { started: spent.length, active: spent.length, microcents }
      const most = spent.reduce((sum, own) => sum + computeVisitorBudget(usage, { microcents: own }), 0)
      expect(most).toBeLessThanOrEqual(microcentsPerDay)
    }),
  )
})

const session = (id: string, ownerId: PersonId) => ({ id: id as SessionId, ownerId })

test('[V17] only visitors have the limits of visitors, and nothing to spend without a visit', async () => {
  const visit = { linkId: 'shr_one', microcents: 40 } as never
  const asked: unknown[] = []
  const shareLinks = {
    findVisitorSession: async (id: SessionId) => (id === 'ses_visit' ? visit : undefined),
    readUsage: async (...query: readonly unknown[]) => {
      asked.push(query[0])
      return { ...unused, microcents: 1_000 }
    },
  }
  const limitsOf = createVisitorLimits(shareLinks, () => noon)
  const visitor = createVisitorId('one')
  const few = { maxTurns: VISITOR_CAPS.turnsPerSession, onExceed: 'fail' }
  expect(isVisitor(visitor)).toBe(true)
  expect(limitsOf(session('ses_visit', 'per_ada' as PersonId))).toBeUndefined()
  expect(limitsOf(session('ses_visit', 'per_ada-per_guest' as PersonId))).toBeUndefined()
  expect(await limitsOf(session('ses_gone', visitor))).toEqual({ ...few, maxCostMicrocents: 0 })
  expect(await limitsOf(session('ses_visit', visitor))).toEqual({
    ...few,
    maxCostMicrocents: computeVisitorBudget({ ...unused, microcents: 1_000 }, visit),
  })
  expect(asked).toEqual(['shr_one'])
})
