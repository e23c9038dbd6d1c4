import { expect, test } from 'vitest'
import type { Command } from './command.ts'
import { rankCommands } from './use-commands.ts'

const command = (label: string, words?: string, kind: Command['kind'] = 'Page'): Command => ({
  id: label,
  label,
  kind,
  does: { kind: 'go', href: '/' },
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
  ['no words offer all, in their order', '  ', COMMANDS.map(({ label }) => label)],
  ['the beginning of a name comes before a word within one', 'ses', ['Sessions', 'New session']],
  ['case and accents do not matter', 'zoe mull', ['Zoë Müller: Sources', 'Talk with Zoë Müller']],
  ['words fit in any order', 'sources zoe', ['Zoë Müller: Sources']],
  ['initials', 'ns', ['New session']],
  ['letters that were left out', 'hlth', ['Health']],
  ['not of several words', 'nsson', []],
  ['nor of what people wrote', 'whyp', []],
  ['a whole word before the beginning of one', 'pear', ['Why the old pear tree fell', 'She likes pears.']],
  ['of which letters left out fit nothing', 'prtr', []],
  ['other words by which it is known', 'cost', ['Health']],
  ['each word has to fit', 'health dark', []],
  ['nothing fits', 'xyz', []],
])('%s', (_, query, expected) => {
  expect(rankCommands(query, COMMANDS).map(({ label }) => label)).toEqual(expected)
})
