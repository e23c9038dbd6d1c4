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
  ['an unused link admits a visitor', {}, 0, undefined],
  ['room for one more visitor', { active: sessionsAtOnce - 2 }, 1, undefined],
  ['the maximum of active sessions', { active: sessionsAtOnce }, 0, 60],
  ['the maximum of active and starting sessions', { active: sessionsAtOnce - 1 }, 1, 60],
  ['one start left today', { started: startsPerDay - 1 }, 0, undefined],
  ['no starts left today', { started: startsPerDay }, 0, 12 * 3600],
  ['the last start under way', { started: startsPerDay - 1 }, 1, 12 * 3600],
  ['one micro-cent left today', { microcents: microcentsPerDay - 1 }, 0, undefined],
  ['no money left today', { microcents: microcentsPerDay }, 0, 12 * 3600],
])('[A4] %s', (_, used, starting, retryAfterSeconds) => {
  const decision = decideVisit({ usage: { ...unused, ...used }, starting, now: noon })
  expect(decision).toMatchObject(
    retryAfterSeconds === undefined ? { kind: 'allowed' } : { kind: 'refused', retryAfterSeconds },
  )
})

test.each<[string, Partial<LinkUsage>, number | undefined]>([
  ['all sessions of the link are active', { active: sessionsAtOnce }, undefined],
  ['a start is left today', { started: startsPerDay - 1 }, undefined],
  ['no start is left today', { started: startsPerDay }, 12 * 3600],
  ['no money is left today', { microcents: microcentsPerDay }, 12 * 3600],
])('[A4] whether a call may reconnect: %s', (_, used, retryAfterSeconds) => {
  const decision = decideReconnect({ usage: { ...unused, ...used }, now: noon })
  expect(decision).toMatchObject(
    retryAfterSeconds === undefined ? { kind: 'allowed' } : { kind: 'refused', retryAfterSeconds },
  )
})

test('a day begins at midnight UTC', () => {
  expect(new Date(findStartOfDay(noon)).toISOString()).toBe('2026-03-14T00:00:00.000Z')
  expect(findStartOfDay(findStartOfDay(noon))).toBe(findStartOfDay(noon))
})

test.each<[string, Partial<LinkUsage>, number, number]>([
  ['the only session may use all of the day’s budget', { active: 1 }, 0, microcentsPerDay],
  ['a session that is not counted yet may use all of it', { active: 0 }, 0, microcentsPerDay],
  ['one of two sessions may use half of it', { active: 2 }, 0, microcentsPerDay / 2],
  [
    'a session may use its cost so far and the rest of the day’s budget',
    { active: 1, microcents: 10 },
    10,
    microcentsPerDay,
  ],
  [
    'only its cost so far, once the budget is used up',
    { active: 1, microcents: microcentsPerDay + 1 },
    10,
    10,
  ],
])('[A4] the budget of a visitor’s session: %s', (_, used, microcents, expected) => {
  expect(computeVisitorBudget({ ...unused, ...used }, { microcents })).toBe(expected)
})

test('[A4] the budgets of all active sessions together stay within the day’s budget', () => {
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

test('[V17] only visitors have visitor limits; without a visit their budget is zero', async () => {
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
