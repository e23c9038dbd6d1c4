import { assert, array, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { addProvider, removeProvider } from './edit-config-file.ts'
import { parseConfig } from './read-config-file.ts'

const FILE = 'config.toml'
const LOCAL = { kind: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1' } as const
const ADDED = '[providers.local]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:1/v1"\n'

test.each([
  ['an empty file', '', ADDED],
  [
    'a file with comments',
    '# mine\n[chat] # here\nmax_turns = 1\n',
    `# mine\n[chat] # here\nmax_turns = 1\n\n${ADDED}`,
  ],
  ['a file without a final newline', '[chat]', `[chat]\n\n${ADDED}`],
  ['a file with Windows line ends', '[chat]\r\n', `[chat]\r\n\r\n${ADDED.replaceAll('\n', '\r\n')}`],
])('[S18] a provider is added to %s', (_, text, expected) => {
  expect(addProvider(text, 'local', LOCAL, FILE)).toBe(expected)
})

const REST = '# above\n[chat]\nmax_turns = 1\n'

test.each([
  ['at the end', `${REST}\n${ADDED}`, `${REST}\n`],
  ['at the beginning', `${ADDED}\n# about chat\n${REST}`, `\n# about chat\n${REST}`],
  [
    'with tables below it',
    `${ADDED}[providers.local.models."a.b"]\ncontext_window = 1\n\n${REST}`,
    `\n${REST}`,
  ],
  ['in separate tables', `${ADDED}${REST}[providers.local.models.x]\ncontext_window = 1\n`, REST],
  [
    'next to another',
    `${ADDED}[providers.local-2]\nkind = "openai"\n`,
    '[providers.local-2]\nkind = "openai"\n',
  ],
])('[S18] a provider %s is removed, and comments stay', (_, text, expected) => {
  expect(removeProvider(text, 'local', FILE)).toBe(expected)
})

test.each([
  ['inline', 'providers = { local = { kind = "openai" } }\n'],
  ['with dotted keys', '[providers]\nlocal.kind = "openai"\n'],
])('[S18] a provider written %s must be edited by hand', (_, text) => {
  expect(() => removeProvider(text, 'local', FILE)).toThrow('cannot be edited automatically')
})

test('[S18] an inline table of providers cannot be extended', () => {
  const text = 'providers = { other = { kind = "openai" } }\n'
  expect(() => addProvider(text, 'local', LOCAL, FILE)).toThrow('cannot be edited automatically')
})

test('[S18] adding an existing name and removing an unknown one are refused', () => {
  expect(() => addProvider(ADDED, 'local', LOCAL, FILE)).toThrow('The provider "local" already exists')
  expect(() => removeProvider(REST, 'local', FILE)).toThrow('There is no provider "local"')
})

test('[S18] in any file, removing an added provider restores the text', () => {
  const pieces = [
    '# a comment\n',
    '\n',
    '[chat]\nmax_turns = 3 # three\n',
    '[providers.a]\nkind = "openai"\n',
    '[providers.a.models.x]\ncontext_window = 5\n',
    '[mcp_servers.s]\ncommand = """\n[providers.local]\n# no comment\n"""\n',
  ] as const
  const order = array(constantFrom(...pieces), { maxLength: 8 })
  assert(
    property(order, (chosen) => {
      const text = [...new Set(chosen)].join('')
      if (text.includes('models') && !text.includes('[providers.a]')) return
      const added = addProvider(text, 'local', LOCAL, FILE)
      expect(added.startsWith(text)).toBe(true)
      const removed = removeProvider(added, 'local', FILE)
      expect(parseConfig(removed, FILE)).toEqual(parseConfig(text, FILE))
      expect(removed.trimEnd()).toBe(text.trimEnd())
    }),
  )
})
