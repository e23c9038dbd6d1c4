import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from '@parley/contracts'
import { expect, test } from 'vitest'
import { freshFolder, put, toolsIn } from './testing/file-fixture.ts'

async function work(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = join(await freshFolder(), 'work')
  await put(folder, files)
  return { folder, ...toolsIn({ workingDir: folder }) }
}

const PROJECT = {
  'readme.md': 'Find me\nand not me.',
  'src/a.ts': 'one\r\nfind (me)\r\nthree\r\n',
  'src/deep/b.ts': 'x\ny\nz\nfind me\nz\ny\nx\nfind me\n',
  'src/deep/c.js': 'find me',
}

test.each<[string, Record<string, Json>, string[]]>([
  ['plain text', { pattern: 'find (me)' }, ['src/a.ts:2: find (me)']],
  ['any case', { pattern: 'FIND ME', ignore_case: true, glob: '*.md' }, ['readme.md:1: Find me']],
  ['a regular expression', { pattern: '^f.*\\)$', is_regex: true }, ['src/a.ts:2: find (me)']],
  ['names like a glob', { pattern: 'find me', glob: '*.js' }, ['src/deep/c.js:1: find me']],
  ['paths like a glob', { pattern: 'find', glob: 'src/*.ts' }, ['src/a.ts:2: find (me)']],
  [
    'paths from where it looks',
    { pattern: 'find', path: 'src', glob: 'deep/*.js' },
    ['src/deep/c.js:1: find me'],
  ],
  ['one file', { pattern: 'find', path: 'src/a.ts' }, ['src/a.ts:2: find (me)']],
  ['nothing', { pattern: 'nowhere' }, ['[no matches]']],
  [
    'lines around',
    { pattern: 'find me', path: 'src/deep/b.ts', context_lines: 1 },
    [
      'src/deep/b.ts-3- z',
      'src/deep/b.ts:4: find me',
      'src/deep/b.ts-5- z',
      '--',
      'src/deep/b.ts-7- x',
      'src/deep/b.ts:8: find me',
    ],
  ],
])('[S12] search_files finds %s', async (_, input, expected) => {
  const { call } = await work(PROJECT)
  expect((await call('search_files', input)).text.split('\n')).toEqual(expected)
})

test('[S12] search_files leaves out what git ignores, binaries, large and protected files, links', async () => {
  const { folder, call } = await work({
    '.git/config': 'needle',
    '.gitignore': '*.log\nbuild\n',
    'a.log': 'needle',
    'build/x.txt': 'needle',
    'sub/.gitignore': '!keep.log\nno.txt\n',
    'sub/keep.log': 'needle',
    'sub/no.txt': 'needle',
    '.env': 'needle',
    'binary.bin': Buffer.from('needle\0needle'),
    'large.txt': Buffer.alloc(5_000_001, 'needle '),
    'yes.txt': 'needle',
  })
  await symlink('yes.txt', join(folder, 'link.txt'))
  expect((await call('search_files', { pattern: 'needle' })).text.split('\n')).toEqual([
    'yes.txt:1: needle',
    'sub/keep.log:1: needle',
    '[left out: protected, files over 5 MB]',
  ])
  expect((await call('search_files', { pattern: 'needle', path: 'build' })).text).toBe(
    'build/x.txt:1: needle',
  )
})

test('results are bounded: in number and in length', async () => {
  const { call } = await work({
    'many.txt': 'needle\n'.repeat(700),
    'long.txt': `${'a'.repeat(1_000)}here${'b'.repeat(1_000)}`,
  })
  const many = (await call('search_files', { pattern: 'needle' })).text.split('\n')
  expect(many).toHaveLength(501)
  expect(many.at(-1)).toContain('everything after 500 lines found')
  const long = (await call('search_files', { pattern: 'here' })).text
  expect(long).toMatch(/^long\.txt:1: …a{100}hereb{196}…$/)
})

test('an invalid pattern is reported', async () => {
  const { call } = await work({})
  expect(await call('search_files', { pattern: '(', is_regex: true })).toMatchObject({
    kind: 'refused',
    code: 'validation',
  })
  expect(await call('search_files', { pattern: '(' })).toMatchObject({ kind: 'ok' })
})

test.each<[string, Record<string, string>, Record<string, Json>]>([
  ['a pattern', { 'a.txt': `${'a'.repeat(50_000)}!` }, { pattern: '^(a+)+$', is_regex: true }],
  [
    'a pattern over many lines',
    { 'a.txt': `${'a'.repeat(40)}!\n`.repeat(500) },
    { pattern: '(a|aa)+$', is_regex: true },
  ],
  ['a glob', { ['a'.repeat(200)]: 'x' }, { pattern: 'x', glob: `${'*a'.repeat(30)}b` }],
  ['the braces of a glob', { a: 'x' }, { pattern: 'x', glob: '{a,b}'.repeat(40) }],
])('[S13] attack: %s with endless matching is stopped', async (_, files, input) => {
  const { call } = await work(files)
  expect(await call('search_files', input)).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('takes too long to match'),
  })
})

test('[S13] attack: a .gitignore with endless matching is skipped', async () => {
  const { call } = await work({
    '.gitignore': `${'**/a/'.repeat(20)}**/b\n`,
    [`${'a/'.repeat(60)}deep.txt`]: 'needle',
  })
  expect((await call('search_files', { pattern: 'needle' })).text).toContain('deep.txt:1: needle')
})

test('[S13] attack: a .gitignore that links to a file outside is not read', async () => {
  const { folder, call } = await work({ 'a.txt': 'needle' })
  await put(join(folder, '..'), { 'rules.txt': 'a.txt\n' })
  await symlink('../rules.txt', join(folder, '.gitignore'))
  expect((await call('search_files', { pattern: 'needle' })).text).toBe('a.txt:1: needle')
})

test('a search stops when it is cancelled', async () => {
  const { plan } = await work(PROJECT)
  const planned = await plan('search_files', { pattern: 'find' })
  if (planned.kind !== 'plan') throw new Error(planned.text)
  await expect(planned.carryOut(AbortSignal.abort())).rejects.toThrow('aborted')
})
