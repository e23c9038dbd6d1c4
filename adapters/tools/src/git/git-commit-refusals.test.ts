import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder } from '../command/command.fixture.ts'
import { carryOutCall, createRepository, runGitIn, planCall, writeFiles } from './git.fixture.ts'

const commit = (folder: string, input: object) => carryOutCall(folder, 'git_commit', input)

test.each<[string, object, string]>([
  ['nothing staged', { message: 'x' }, 'Nothing is staged'],
  ['nothing changed', { message: 'x', paths: ['a.txt'] }, 'unchanged since the last commit'],
  ['nothing there', { message: 'x', paths: ['nowhere.txt'] }, 'does not exist, or git ignores it'],
  ['something ignored', { message: 'x', paths: ['x.log'] }, 'does not exist, or git ignores it'],
  ['a path outside', { message: 'x', paths: ['../x'] }, 'outside'],
  ['an absolute path outside', { message: 'x', paths: ['/etc/passwd'] }, 'outside'],
  ['the git folder', { message: 'x', paths: ['.git/config'] }, 'protected'],
  ['a protected file', { message: 'x', paths: ['.env'] }, 'protected'],
  ['a folder with a protected file', { message: 'x', paths: ['keys'] }, 'keys/.env'],
  ['an empty message', { message: ' \n ', paths: ['a.txt'] }, 'message is empty'],
  ['a message with an escape', { message: 'x\u001B[2K', paths: ['a.txt'] }, 'control characters'],
  ['a message with NUL', { message: 'x\0y', paths: ['a.txt'] }, 'control characters'],
  ['a message with a carriage return', { message: 'x\ry', paths: ['a.txt'] }, 'control characters'],
])('[S13] %s is refused with a reason', async (_, input, words) => {
  const folder = await createRepository()
  await writeFiles(folder, {
    '.git/info/exclude': '*.log\n',
    'x.log': 'x',
    '.env': 'KEY=made-up\n',
    'keys/.env': 'KEY=made-up\n',
  })
  expect(await planCall(folder, 'git_commit', input)).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining(words),
  })
})

test('[S13] attack: a staged protected file is not committed', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { '.env': 'KEY=made-up\n', 'ok.txt': 'ok\n' })
  runGitIn(folder, 'add', '--all')
  const refused = await planCall(folder, 'git_commit', { message: 'x' })
  expect(refused).toMatchObject({ kind: 'refused', text: expect.stringContaining('.env') })
  expect(JSON.stringify(refused)).not.toContain('made-up')
})

test('[S13] attack: a file behind a link to the outside is not committed', async () => {
  const [folder, outside] = [await createRepository(), await freshFolder()]
  await writeFiles(outside, { 'secret.txt': 'made-up-secret\n' })
  await symlink(outside, join(folder, 'out'))
  await symlink(join(outside, 'secret.txt'), join(folder, 'secret'))
  for (const path of ['out/secret.txt', 'out', 'secret', '.']) {
    expect(await planCall(folder, 'git_commit', { message: 'x', paths: [path] })).toMatchObject({
      kind: 'refused',
    })
  }
})

test.each([
  ['a merge', 'MERGE_HEAD'],
  ['a cherry-pick', 'CHERRY_PICK_HEAD'],
  ['a revert', 'REVERT_HEAD'],
  ['a rebase', 'rebase-merge/head-name'],
  ['a rebase of patches', 'rebase-apply/head-name'],
])('%s in progress is left to the person', async (_, name) => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n', [`.git/${name}`]: runGitIn(folder, 'rev-parse', 'HEAD') })
  expect(await planCall(folder, 'git_commit', { message: 'x', paths: ['a.txt'] })).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining('in progress'),
  })
})

test('files with conflicts are left to the person', async () => {
  const folder = await createRepository()
  runGitIn(folder, 'checkout', '--quiet', '-b', 'other')
  await writeFiles(folder, { 'a.txt': 'theirs\n' })
  runGitIn(folder, 'commit', '--quiet', '--all', '--message', 'Theirs')
  runGitIn(folder, 'checkout', '--quiet', 'main')
  await writeFiles(folder, { 'a.txt': 'ours\n' })
  runGitIn(folder, 'commit', '--quiet', '--all', '--message', 'Ours')
  expect(() => runGitIn(folder, 'merge', 'other')).toThrow('Command failed')
  await rm(join(folder, '.git/MERGE_HEAD'))
  expect(await planCall(folder, 'git_commit', { message: 'x' })).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining('conflicts'),
  })
})

test('a commit without a branch is refused', async () => {
  const folder = await createRepository()
  runGitIn(folder, 'checkout', '--quiet', '--detach')
  await writeFiles(folder, { 'a.txt': 'two\n' })
  expect(await planCall(folder, 'git_commit', { message: 'x', paths: ['a.txt'] })).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining('No branch'),
  })
})

test.each([
  '--amend',
  '-m',
  '-F/etc/passwd',
  '# not a comment',
  'x\n\n--author=Eve <eve@example.org>',
  'x\n-- \n',
])('[S13] attack: the message %j is only a message', async (message) => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  expect(await commit(folder, { message, paths: ['a.txt'] })).toMatchObject({ kind: 'ok' })
  expect(runGitIn(folder, 'log', '-1', '--format=%an|%B').trim()).toBe(`Ada Example|${message.trim()}`)
  expect(runGitIn(folder, 'rev-list', '--count', 'HEAD')).toBe('2\n')
})

test.each(['--all', '-A', '--', ':(top)', ':!x', '*', 'a\nb', '"q"', "it's"])(
  '[S13] attack: the path %j is only a file name',
  async (path) => {
    const folder = await createRepository()
    await writeFiles(folder, { 'a.txt': 'two\n' })
    const input = { message: 'x', paths: [path] }
    expect(await planCall(folder, 'git_commit', input)).toMatchObject({ kind: 'refused' })
    await writeFiles(folder, { [path]: 'x' })
    expect(await commit(folder, input)).toMatchObject({ kind: 'ok' })
    expect(runGitIn(folder, 'diff-tree', '-r', '-z', '--name-only', '--no-commit-id', 'HEAD')).toBe(
      `${path}\0`,
    )
    expect(runGitIn(folder, 'diff', '--name-only')).toBe('a.txt\n')
  },
)

test.each([
  ':/',
  '--pathspec-from-file=/etc/passwd',
  '--upload-pack=/bin/false',
  '-c core.fsmonitor=/bin/false',
])('[S13] attack: the missing path %j is refused', async (path) => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  expect(await planCall(folder, 'git_commit', { message: 'x', paths: [path] })).toMatchObject({
    kind: 'refused',
  })
})

test('[S13] attack: a preview shows hidden characters', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'x\u001B[1A\u001B[2Kharmless\n', 'b\u202Etxt.js': '\u2066x\n' })
  const found = await planCall(folder, 'git_commit', { message: 'x\u202Ey', paths: ['.'] })
  const text = found.kind === 'plan' ? found.approval?.preview?.text : ''
  expect(text).toContain(String.raw`x\u{1b}[1A\u{1b}[2Kharmless`)
  expect(text).toContain(String.raw`b\u{202e}txt.js`)
  for (const hidden of ['\u001B', '\u202E', '\u2066']) expect(text).not.toContain(hidden)
})
