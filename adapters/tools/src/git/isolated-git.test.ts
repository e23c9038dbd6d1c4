import { expect, test } from 'vitest'
import { parseSettings, createIsolatedConfig } from './isolated-git.ts'

const configOf = (settings: Readonly<Record<string, string>>) =>
  createIsolatedConfig(new Map(Object.entries(settings)))

test('settings are parsed by name: the last value counts, and a name alone means true', () => {
  const listed = 'core.bare\nfalse\0core.filemode\0user.name\nAda\0User.Name\nGrace\nHopper\0'
  expect([...parseSettings(listed)]).toEqual([
    ['core.bare', 'false'],
    ['core.filemode', 'true'],
    ['user.name', 'Grace\nHopper'],
  ])
})

test('[S13] attack: settings that name programs or folders are dropped', () => {
  const config = configOf({
    'core.fsmonitor': '/made-up',
    'core.hookspath': '/made-up',
    'core.worktree': '/made-up',
    'filter.x.clean': '/made-up',
    'core.autocrlf': 'input\n\tfsmonitor = /made-up',
    'core.eol': '"/made-up',
  })
  expect(config).toMatch(/^\[gc\]/)
  expect(config).not.toContain('made-up')
})

test('settings for the storage of files are kept', () => {
  expect(configOf({ 'core.filemode': 'false', 'core.autocrlf': 'input' })).toMatch(
    /filemode = false\n\tautocrlf = input/,
  )
  const sha256 = configOf({ 'core.repositoryformatversion': '1', 'extensions.objectformat': 'sha256' })
  expect(sha256).toContain('repositoryFormatVersion = 1')
  expect(sha256).toContain('objectFormat = sha256')
})

test.each<[string, Readonly<Record<string, string>>]>([
  ['a format of the future', { 'core.repositoryformatversion': '2' }],
  ['a format that is no number', { 'core.repositoryformatversion': 'x' }],
  ['an extension of the future', { 'core.repositoryformatversion': '1', 'extensions.made-up': 'true' }],
  ['another store of branches', { 'core.repositoryformatversion': '1', 'extensions.refstorage': 'reftable' }],
  ['another hash', { 'core.repositoryformatversion': '1', 'extensions.objectformat': 'sha512' }],
  ['a name that every object has', { 'core.repositoryformatversion': '1', 'extensions.constructor': 'x' }],
])('%s is not supported', (_, settings) => {
  expect(configOf(settings)).toMatchObject({ kind: 'refused', code: 'tool_unavailable' })
})
