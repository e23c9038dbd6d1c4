import type {
  FactId,
  Reflection,
  ReflectionId,
  Role,
  SessionId,
  SessionView,
  SourceId,
} from '@parley/contracts'
import { expect, test } from 'vitest'
import { knownCommands } from './known-commands.ts'

const reflection = { id: 'rfl_1' as ReflectionId, displayName: 'Ada', role: 'viewer' } as Reflection
const session = { sessionId: 'ses_1' as SessionId } as SessionView

const labelsFor = (role: Role, reflections: readonly Reflection[] = []) =>
  knownCommands({ me: { role }, reflections, sessions: [] }).map(({ label }) => label)

test('only admins are offered the server’s health', () => {
  expect(labelsFor('admin')).toContain('Health')
  expect(labelsFor('viewer')).not.toContain('Health')
})

test.each<[Role, boolean]>([
  ['owner', true],
  ['operator', true],
  ['viewer', false],
])('[A3] approvals are offered to who may decide: %s', (role, isOffered) => {
  expect(labelsFor(role).includes('Approvals')).toBe(isOffered)
})

test('who was invited to a reflection is offered no agent of the server', () => {
  const me = { role: 'viewer', isInvited: true } as const
  expect(labelsFor('viewer')).toContain('New session')
  expect(knownCommands({ me, reflections: [], sessions: [] }).map(({ label }) => label)).not.toContain(
    'New session',
  )
})

test('a reflection is offered with the parts that its role has', () => {
  expect(labelsFor('viewer', [reflection])).toEqual(
    expect.arrayContaining(['Talk with Ada', 'Ada: Overview', 'Ada: Sources']),
  )
  expect(labelsFor('viewer', [reflection])).not.toContain('Ada: Members')
  expect(labelsFor('viewer', [{ ...reflection, role: 'owner' }])).toContain('Ada: Members')
})

test('a session is found by its title, or as one without', () => {
  const commands = knownCommands({ me: { role: 'viewer' }, reflections: [], sessions: [session] })
  expect(commands.at(-1)).toMatchObject({
    label: 'Untitled session',
    does: { kind: 'go', href: '/sessions/ses_1' },
  })
})

test('sources and facts lead to where they stand, and say whose they are', () => {
  const held = [
    {
      reflection,
      sources: [{ id: 'src_1' as SourceId, title: 'Letter' }],
      facts: [{ id: 'fct_1' as FactId, statement: 'Ada is 40 % iron.' }],
    },
  ]
  const commands = knownCommands({ me: { role: 'viewer' }, reflections: [], sessions: [], held })
  expect(commands.slice(-2)).toMatchObject([
    { kind: 'Source', label: 'Letter', of: 'Ada', does: { href: '/reflections/rfl_1/sources/src_1' } },
    {
      kind: 'Fact',
      of: 'Ada',
      does: { href: '/reflections/rfl_1/facts?search=Ada%20is%2040%20%25%20iron.' },
    },
  ])
})

test('no two have the same id', () => {
  const ids = knownCommands({ me: { role: 'owner' }, reflections: [reflection], sessions: [session] }).map(
    ({ id }) => id,
  )
  expect(new Set(ids).size).toBe(ids.length)
})
