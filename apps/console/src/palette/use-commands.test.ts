import { expect, test } from 'vitest'
import type { Command } from './commands.ts'
import { groupCommands, rankCommands } from './use-commands.ts'

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
