import { Role, AgentAction, isReadOnlyAction } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { type CalledSession, decideToolCall, type ToolCallInput } from './decide-tool-call.ts'

const session: CalledSession = {
  status: 'active',
  mode: 'reflection',
  audience: 'private',
  ingestion: 'ingest',
  roleAtStart: 'owner',
  roleNow: 'owner',
  boundTo: 'conv_1',
}
const usual: ToolCallInput = {
  action: 'request-source-ingest',
  isSecretRight: true,
  isSignatureValid: true,
  providerConversationId: 'conv_1',
  session,
}

describe('a tool call', () => {
  test('[V4] is allowed if every check passes', () => {
    expect(decideToolCall(usual)).toEqual({ kind: 'allowed' })
  })

  test.each<[string, Partial<ToolCallInput>, string]>([
    ['a wrong secret', { isSecretRight: false }, 'unauthenticated'],
    ['a wrong signature', { isSignatureValid: false }, 'bind_signature_invalid'],
    [
      'a wrong signature, for reads too',
      { isSignatureValid: false, action: 'retrieve-context' },
      'bind_signature_invalid',
    ],
    ['an unknown session', { session: undefined }, 'bind_signature_invalid'],
    ['the call of another conversation', { providerConversationId: 'conv_2' }, 'conversation_mismatch'],
    ['a session without a call', { session: { ...session, boundTo: undefined } }, 'conversation_mismatch'],
    [
      'an empty call id of a session without a call',
      { providerConversationId: '', session: { ...session, boundTo: undefined } },
      'conversation_mismatch',
    ],
    ['a session that ended', { session: { ...session, status: 'ended' } }, 'action_not_allowed'],
    ['a call that is over', { session: { ...session, isCallOver: true } }, 'action_not_allowed'],
    ['a session that failed', { session: { ...session, status: 'failed' } }, 'action_not_allowed'],
    [
      'a viewer with a valid signature',
      { session: { ...session, roleAtStart: 'viewer', roleNow: 'viewer' } },
      'action_not_allowed',
    ],
    [
      'a member who was demoted during the call',
      { session: { ...session, roleNow: 'viewer' } },
      'action_not_allowed',
    ],
    [
      'a viewer who was promoted during the call',
      { session: { ...session, roleAtStart: 'viewer' } },
      'action_not_allowed',
    ],
    [
      'a former member',
      { action: 'retrieve-context', session: { ...session, roleNow: undefined } },
      'action_not_allowed',
    ],
    [
      'a member who may no longer read the session’s sources',
      { action: 'retrieve-context', session: { ...session, isBeyondReach: true } },
      'action_not_allowed',
    ],
    [
      'a revoked link',
      { action: 'retrieve-context', session: { ...session, shareLink: 'revoked' } },
      'action_not_allowed',
    ],
  ])('[V4] %s', (_, given, code) => {
    expect(decideToolCall({ ...usual, ...given })).toMatchObject({ kind: 'refused', code })
  })

  test.each<[string, Partial<CalledSession>, boolean]>([
    ['an ended session', { status: 'ended' }, true],
    ['a call that is over', { isCallOver: true }, true],
    ['a revoked link', { shareLink: 'revoked' }, true],
    ['a former member', { roleNow: undefined }, true],
    ['a member who may no longer read the session’s sources', { isBeyondReach: true }, true],
    ['a person who may only read', { roleAtStart: 'viewer' }, false],
    ['an off-record session', { ingestion: 'off-record' }, false],
  ])('[V17] whether the agent of %s must say goodbye', (_, given, isOver) => {
    const action = 'request-source-ingest'
    const decision = decideToolCall({ ...usual, action, session: { ...session, ...given } })
    expect(decision).toMatchObject({ kind: 'refused', code: 'action_not_allowed' })
    expect(JSON.stringify(decision).includes('This conversation is over')).toBe(isOver)
  })

  test.each(Role.options)('[V4] a %s cannot write in a public session', (role) => {
    const called = { ...session, audience: 'public', roleThen: role, roleNow: role } as const
    const allowed = AgentAction.options.filter(
      (action) => decideToolCall({ ...usual, action, session: called }).kind === 'allowed',
    )
    expect(allowed).toEqual(AgentAction.options.filter(isReadOnlyAction))
  })
})
