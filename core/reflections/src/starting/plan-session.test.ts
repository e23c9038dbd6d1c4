import { AgentAction, Channel, type SessionMode, isReadOnlyAction } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { planSession, type PlanInput, deriveSessionMode, type SessionHints } from './plan-session.ts'
import { QUESTION, REFLECTION } from './starting.fixture.ts'

const visit: Partial<PlanInput> = { audience: 'public', role: 'guest', hints: { roomPrefix: 'share' } }

describe('[P4] what a session may retrieve', () => {
  test.each<[string, Partial<PlanInput>, readonly string[]]>([
    ['a private session: everything', {}, ['conversations', 'diary', 'essays']],
    ['of a limited member: what they reach', { memberNamespaces: ['diary'] }, ['diary']],
    ['of a member who reaches nothing: nothing', { memberNamespaces: [] }, []],
    ['a public session: the published namespaces', visit, ['essays']],
    [
      'a public session of a limited member: the published namespaces',
      { ...visit, memberNamespaces: ['diary'] },
      ['essays'],
    ],
    [
      'through a link: what is published and in the link',
      { ...visit, linkNamespaces: ['essays', 'diary'] },
      ['essays'],
    ],
  ])('%s', (_, question, namespaces) => {
    expect(planSession({ ...QUESTION, ...question })).toMatchObject({ kind: 'planned', namespaces })
  })

  test.each<[string, Partial<PlanInput>]>([
    ['through a link to an unpublished namespace,', { ...visit, linkNamespaces: ['diary'] }],
    ['with nothing published,', { ...visit, reflection: { ...REFLECTION, namespaces: [] } }],
  ])('%s no session starts', (_, question) => {
    expect(planSession({ ...QUESTION, ...question })).toMatchObject({
      kind: 'refused',
      code: 'public_runtime_not_ready',
    })
  })
})

test.each<[string, Partial<PlanInput>, true | undefined]>([
  ['a member who reaches everything', {}, undefined],
  [
    'a member who does not reach everything',
    { memberNamespaces: ['conversations', 'diary', 'essays'] },
    true,
  ],
  ['the public', { ...visit, memberNamespaces: [] }, undefined],
])('[P4] whether the prompt is narrowed: %s', (_, question, isNarrowed) => {
  const plan = planSession({ ...QUESTION, ...question })
  expect(plan.kind === 'planned' && plan.isNarrowed).toBe(isNarrowed)
})

test.each<[string, Partial<PlanInput>, string]>([
  ['a first session', {}, 'standard'],
  ['a later session', { hasEarlier: true }, 'memory'],
  ['a public session of any person', { ...visit, hasEarlier: true }, 'public'],
])('[P7] the surface of %s', (_, question, surface) => {
  expect(planSession({ ...QUESTION, ...question })).toMatchObject({ surface })
})

test.each(Channel.options)('[V2] [V3] a session off the record has no writing actions: %s', (channel) => {
  const plan = planSession({ ...QUESTION, channel, offRecord: true })
  expect(plan).toMatchObject({
    ingestion: 'off-record',
    actions: AgentAction.options.filter(isReadOnlyAction),
  })
})

test.each<[string, SessionHints, SessionMode]>([
  ['no request means a reflection', {}, 'reflection'],
  ['an interviewer means an interview', { agentType: 'interviewer' }, 'interview'],
  [
    'an interviewer in a shared room means an interview',
    { agentType: 'interviewer', roomPrefix: 'share' },
    'interview',
  ],
  [
    'an explicit reflection stays one during onboarding',
    { agentType: 'reflection', mode: 'onboarding' },
    'reflection',
  ],
  [
    'an explicit reflection stays one in a shared room',
    { agentType: 'reflection', roomPrefix: 'share' },
    'reflection',
  ],
  ['onboarding means an interview', { mode: 'onboarding' }, 'interview'],
  ['onboarding counts before the room', { mode: 'onboarding', roomPrefix: 'share' }, 'interview'],
  ['a shared room means a share', { roomPrefix: 'share' }, 'share'],
  ['an unknown mode and room are ignored', { mode: 'evening', roomPrefix: 'sharex' }, 'reflection'],
])('[V1] [V12] %s', (_, hints, mode) => {
  expect(deriveSessionMode(hints)).toBe(mode)
})
