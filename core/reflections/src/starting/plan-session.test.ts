import { Channel, type SessionMode } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { planSession, type SessionQuestion, deriveSessionMode, type SessionHints } from './plan-session.ts'
import { QUESTION, REFLECTION } from './starting.fixture.ts'

const visit: Partial<SessionQuestion> = { audience: 'public', role: 'guest', hints: { roomPrefix: 'share' } }

describe('[P4] what a session may retrieve', () => {
  test.each<[string, Partial<SessionQuestion>, readonly string[]]>([
    ['in private everything', {}, ['conversations', 'diary', 'essays']],
    ['of a member what they reach', { memberNamespaces: ['diary'] }, ['diary']],
    ['of a member who reaches nothing', { memberNamespaces: [] }, []],
    ['in public the published namespaces', visit, ['essays']],
    ['in public whatever a member reaches', { ...visit, memberNamespaces: ['diary'] }, ['essays']],
    ['through a link what both have', { ...visit, linkNamespaces: ['essays', 'diary'] }, ['essays']],
  ])('%s', (_, question, namespaces) => {
    expect(planSession({ ...QUESTION, ...question })).toMatchObject({ kind: 'planned', namespaces })
  })

  test.each<[string, Partial<SessionQuestion>]>([
    ['through a link to an unpublished namespace', { ...visit, linkNamespaces: ['diary'] }],
    ['where nothing is published', { ...visit, reflection: { ...REFLECTION, namespaces: [] } }],
  ])('%s nothing starts', (_, question) => {
    expect(planSession({ ...QUESTION, ...question })).toMatchObject({
      kind: 'refused',
      code: 'public_runtime_not_ready',
    })
  })
})

test.each<[string, Partial<SessionQuestion>, true | undefined]>([
  ['a member who reaches everything', {}, undefined],
  ['a member who does not', { memberNamespaces: ['conversations', 'diary', 'essays'] }, true],
  ['the public', { ...visit, memberNamespaces: [] }, undefined],
])('[P4] whether the prompt is made from a part: %s', (_, question, isNarrowed) => {
  const plan = planSession({ ...QUESTION, ...question })
  expect(plan.kind === 'planned' && plan.isNarrowed).toBe(isNarrowed)
})

test.each<[string, Partial<SessionQuestion>, string]>([
  ['a first session', {}, 'standard'],
  ['a later one', { hasEarlier: true }, 'memory'],
  ['the public, whoever it is', { ...visit, hasEarlier: true }, 'public'],
])('[P7] the surface of %s', (_, question, surface) => {
  expect(planSession({ ...QUESTION, ...question })).toMatchObject({ surface })
})

test.each(Channel.options)('[V2] [V3] off the record no write action is planned: %s', (channel) => {
  const plan = planSession({ ...QUESTION, channel, offRecord: true })
  expect(plan).toMatchObject({ ingestion: 'off-record', actions: ['retrieve-context'] })
})

test.each<[string, SessionHints, SessionMode]>([
  ['nothing said is a reflection', {}, 'reflection'],
  ['an interviewer interviews', { agentType: 'interviewer' }, 'interview'],
  [
    'an interviewer interviews in a shared room too',
    { agentType: 'interviewer', roomPrefix: 'share' },
    'interview',
  ],
  ['a reflection is one while onboarding', { agentType: 'reflection', mode: 'onboarding' }, 'reflection'],
  ['a reflection is one in a shared room', { agentType: 'reflection', roomPrefix: 'share' }, 'reflection'],
  ['onboarding is an interview', { mode: 'onboarding' }, 'interview'],
  ['onboarding goes before the room', { mode: 'onboarding', roomPrefix: 'share' }, 'interview'],
  ['a shared room is a share', { roomPrefix: 'share' }, 'share'],
  ['an unknown mode and room say nothing', { mode: 'evening', roomPrefix: 'sharex' }, 'reflection'],
])('[V1] [V12] %s', (_, hints, mode) => {
  expect(deriveSessionMode(hints)).toBe(mode)
})
