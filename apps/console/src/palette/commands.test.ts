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
import { listPages } from '../app/page-record.ts'
import { createConsoleRouter } from '../app/router.tsx'
import { listCommands, type Command, groupCommands, rankCommands } from './commands.ts'

const reflection = { id: 'rfl_1' as ReflectionId, displayName: 'Ada', role: 'viewer' } as Reflection
const session = { sessionId: 'ses_1' as SessionId } as SessionView

type Given = Omit<Parameters<typeof listCommands>[0], 'pages'>

const pages = listPages(createConsoleRouter())
const commandsFor = (given: Partial<Given>) =>
  listCommands({ pages, me: { role: 'viewer' }, reflections: [], sessions: [], ...given })
const labelsFor = (role: Role, reflections: readonly Reflection[] = []) =>
  commandsFor({ me: { role }, reflections }).map(({ label }) => label)

test('only admins see the server’s health', () => {
  expect(labelsFor('admin')).toContain('Health')
  expect(labelsFor('viewer')).not.toContain('Health')
})

test.each<[Role, boolean]>([
  ['owner', true],
  ['operator', true],
  ['viewer', false],
])('[A3] approvals are offered to roles that may decide: %s', (role, isOffered) => {
  expect(labelsFor(role).includes('Approvals')).toBe(isOffered)
})

test('a person invited to a reflection cannot start a session with the server’s agents', () => {
  const me = { role: 'viewer', isInvited: true } as const
  expect(labelsFor('viewer')).toContain('New session')
  expect(commandsFor({ me }).map(({ label }) => label)).not.toContain('New session')
})

test('a reflection is offered with the pages that its role may open', () => {
  expect(labelsFor('viewer', [reflection])).toEqual(
    expect.arrayContaining(['Talk with Ada', 'Ada: Overview', 'Ada: Sources']),
  )
  expect(labelsFor('viewer', [reflection])).not.toContain('Ada: Members')
  expect(labelsFor('viewer', [{ ...reflection, role: 'owner' }])).toContain('Ada: Members')
})

test('a session is listed by its title, or as untitled', () => {
  const commands = commandsFor({ sessions: [session] })
  expect(commands.at(-1)).toMatchObject({
    label: 'Untitled session',
    effect: { kind: 'go', href: '/sessions/ses_1' },
  })
})

test('sources and facts link to their page and name their reflection', () => {
  const matches = [
    {
      reflection,
      sources: [{ id: 'src_1' as SourceId, title: 'Letter' }],
      facts: [{ id: 'fct_1' as FactId, statement: 'Ada is 40 % iron.' }],
    },
  ]
  const commands = commandsFor({ matches })
  expect(commands.slice(-2)).toMatchObject([
    {
      kind: 'Source',
      label: 'Letter',
      reflectionName: 'Ada',
      effect: { href: '/reflections/rfl_1/sources/src_1' },
    },
    {
      kind: 'Fact',
      reflectionName: 'Ada',
      effect: { href: '/reflections/rfl_1/facts?search=Ada%20is%2040%20%25%20iron.' },
    },
  ])
})

test('command ids are unique', () => {
  const commands = commandsFor({ me: { role: 'owner' }, reflections: [reflection], sessions: [session] })
  const ids = commands.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

const command = (label: string, words?: string, kind: Command['kind'] = 'Page'): Command => ({
  id: label,
  label,
  kind,
  effect: { kind: 'go', href: '/' },
  ...(words !== undefined && { words }),
})

const COMMANDS = [
  command('Reflections'),
  command('Health', 'providers jobs errors cost'),
  command('New session'),
  command('Talk with Zoë Müller'),
  command('Zoë Müller: Sources'),
  command('Theme: dark'),
  command('Sessions'),
  command('Why the old pear tree fell', undefined, 'Session'),
  command('She likes pears.', undefined, 'Fact'),
]

test.each<[string, string, readonly string[]]>([
  ['an empty query lists everything in order', '  ', COMMANDS.map(({ label }) => label)],
  ['the beginning of a name comes before a word within one', 'ses', ['Sessions', 'New session']],
  ['case and accents do not matter', 'zoe mull', ['Zoë Müller: Sources', 'Talk with Zoë Müller']],
  ['words fit in any order', 'sources zoe', ['Zoë Müller: Sources']],
  ['initials', 'ns', ['New session']],
  ['missing letters', 'hlth', ['Health']],
  ['missing letters do not match across words', 'nsson', []],
  ['initials do not match user text', 'whyp', []],
  ['a whole word before the beginning of one', 'pear', ['Why the old pear tree fell', 'She likes pears.']],
  ['missing letters do not match user text', 'prtr', []],
  ['extra search words', 'cost', ['Health']],
  ['every word must match', 'health dark', []],
  ['nothing fits', 'xyz', []],
])('%s', (_, query, expected) => {
  expect(rankCommands(query, COMMANDS).map(({ label }) => label)).toEqual(expected)
})

test('the group with the best match comes first, and keeps its order', () => {
  const ranked = [
    command('one', undefined, 'Fact'),
    command('two'),
    command('three', undefined, 'Fact'),
    command('four', undefined, 'Action'),
  ]
  expect(
    groupCommands(ranked).map(({ title, commands }) => [title, commands.map(({ label }) => label)]),
  ).toEqual([
    ['Facts', ['one', 'three']],
    ['Pages and actions', ['two', 'four']],
  ])
})
