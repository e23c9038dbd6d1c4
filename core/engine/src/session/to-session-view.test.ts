import { expect, test } from 'vitest'
import type { SessionId, TurnId } from '@parley/contracts'
import { createTestSession, testAgent } from '../testing/fixtures.ts'
import { toSessionView } from './to-session-view.ts'

test('[A3] a session is shown without its owner and its agent’s prompt', () => {
  const [session] = createTestSession('ses_1' as SessionId, '2026-03-04T05:06:07.000Z')
  const view = toSessionView({ session, lastSequence: 7 }, { mayWrite: true })
  expect(view).toMatchObject({ sessionId: 'ses_1', model: 'scripted', provider: 'test', lastSequence: 7 })
  expect(view).not.toHaveProperty('agentName')
  expect(view).not.toHaveProperty('openTurn')
  expect(JSON.stringify(view)).not.toMatch(/Be brief|per_owner/)
})

test('[S2] a session is shown with its agent’s name and its open turn', () => {
  const agentSnapshot = { ...testAgent, name: 'Helper' }
  const [session] = createTestSession('ses_1' as SessionId, '2026-03-04T05:06:07.000Z', { agentSnapshot })
  const openTurn = { turnId: 'trn_1' as TurnId, state: 'waiting' } as const
  expect(toSessionView({ session, lastSequence: 7, openTurn }, { mayWrite: false })).toMatchObject({
    agentName: 'Helper',
    openTurn,
    mayWrite: false,
  })
})
