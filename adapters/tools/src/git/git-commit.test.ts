import { lstat, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolCallPlan } from '@parley/engine'
import { expect, test } from 'vitest'
import { freshFolder } from '../command/command.fixture.ts'
import {
  carryOutCall,
  type GitFixtureOptions,
  createEmptyRepository,
  createRepository,
  runGitIn,
  planCall,
  writeFiles,
} from './git.fixture.ts'

async function planned(folder: string, input: object, given?: GitFixtureOptions): Promise<ToolCallPlan> {
  const found = await planCall(folder, 'git_commit', input, given)
  if (found.kind === 'refused') throw new Error(found.text)
  return found
}

const commit = (folder: string, input: object, given?: GitFixtureOptions) =>
  carryOutCall(folder, 'git_commit', input, given)
const carriedOut = (each: ToolCallPlan) => each.carryOut(new AbortController().signal)
const lastFiles = (folder: string) =>
  runGitIn(folder, 'show', '--format=', '--name-status', '--no-renames', 'HEAD').trim()

test('[S13] git_commit asks each time, showing the message, the branch and exactly what will be committed', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n', 'new.txt': 'new\n', 'other.txt': 'not this\n' })
  const { target, approval } = await planned(folder, {
    message: 'Say two\n\n-why not',
    paths: ['a.txt', 'new.txt'],
  })
  expect(target).toBe(`${folder} (main)`)
  expect(approval?.forSession).toBeUndefined()
  expect(approval?.preview?.kind).toBe('diff')
  const text = approval?.preview?.text ?? ''
  expect(text).toMatch(
    /^Commit to main by Ada Example <ada@example\.org>\n {4}Say two\n\n {4}-why not\nFiles \(2\):\n {4}M a\.txt\n {4}A new\.txt\n/,
  )
  expect(text).toContain('-one\n+two\n')
  expect(text).not.toContain('not this')
})

test('[S13] a plan changes nothing, and is the same when repeated', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  const before = [
    runGitIn(folder, 'status', '--porcelain'),
    runGitIn(folder, 'count-objects'),
    runGitIn(folder, 'rev-parse', 'HEAD'),
  ]
  const [one, two] = [
    await planned(folder, { message: 'x', paths: ['a.txt'] }),
    await planned(folder, { message: 'x', paths: ['a.txt'] }),
  ]
  expect(one.approval).toEqual(two.approval)
  expect(before).toEqual([
    runGitIn(folder, 'status', '--porcelain'),
    runGitIn(folder, 'count-objects'),
    runGitIn(folder, 'rev-parse', 'HEAD'),
  ])
})

test('[S12] the named files are committed, also new and removed ones, and no others', async () => {
  const folder = await createRepository()
  await writeFiles(folder, {
    'a.txt': 'two\n',
    'dir/new.txt': 'new\n',
    'staged.txt': 'staged\n',
    'loose.txt': 'loose\n',
  })
  runGitIn(folder, 'add', 'staged.txt')
  await rm(join(folder, 'src/b.txt'))
  const said = await commit(folder, { message: 'Change', paths: ['a.txt', 'dir', 'src/b.txt'] })
  expect(said).toMatchObject({
    kind: 'ok',
    text: expect.stringMatching(/^Committed [0-9a-f]{10} to main: Change \(3 files\)$/),
  })
  expect(lastFiles(folder)).toBe('M\ta.txt\nA\tdir/new.txt\nD\tsrc/b.txt')
  expect(runGitIn(folder, 'status', '--porcelain')).toBe('A  staged.txt\n?? loose.txt\n')
  expect(runGitIn(folder, 'log', '-1', '--format=%an <%ae>|%cn <%ce>|%B').trim()).toBe(
    'Ada Example <ada@example.org>|Ada Example <ada@example.org>|Change',
  )
  expect(runGitIn(folder, 'reflog', '-1', '--format=%gs')).toBe('commit: Change\n')
  expect(runGitIn(folder, 'reflog', 'main', '-1', '--format=%gs')).toBe('commit: Change\n')
  runGitIn(folder, 'fsck', '--strict')
})

test('[S12] without paths the staged content is committed, not the current files', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'staged\n' })
  runGitIn(folder, 'add', 'a.txt')
  await writeFiles(folder, { 'a.txt': 'later\n' })
  expect(await commit(folder, { message: 'Staged' })).toMatchObject({ kind: 'ok' })
  expect(runGitIn(folder, 'show', 'HEAD:a.txt')).toBe('staged\n')
  expect(runGitIn(folder, 'status', '--porcelain')).toBe(' M a.txt\n')
})

test.each([
  ['by paths', { message: 'First', paths: ['.'] }],
  ['by the staged files', { message: 'First' }],
])('[S12] the first commit of a repository works %s', async (_, input) => {
  const folder = await createEmptyRepository()
  await writeFiles(folder, { 'a.txt': 'one\n', 'b/c.txt': 'two\n' })
  runGitIn(folder, 'add', '--all')
  expect(await commit(folder, input)).toMatchObject({ kind: 'ok' })
  expect(lastFiles(folder)).toBe('A\ta.txt\nA\tb/c.txt')
  expect(runGitIn(folder, 'status', '--porcelain')).toBe('')
  expect(runGitIn(folder, 'log', '--format=%s')).toBe('First\n')
})

test.each([
  ['SHA-256', '--object-format=sha256'],
  ['SHA-1', '--object-format=sha1'],
])('commits are made with %s', async (_, option) => {
  const folder = await createRepository(option)
  await writeFiles(folder, { 'a.txt': 'two\n' })
  expect(await commit(folder, { message: 'Two', paths: ['a.txt'] })).toMatchObject({ kind: 'ok' })
  runGitIn(folder, 'fsck', '--strict')
  expect(runGitIn(folder, 'status', '--porcelain')).toBe('')
})

test('a split index is complete after a commit', async () => {
  const folder = await createRepository()
  runGitIn(folder, 'update-index', '--split-index')
  await writeFiles(folder, { 'a.txt': 'two\n' })
  expect(await commit(folder, { message: 'Two', paths: ['a.txt'] })).toMatchObject({ kind: 'ok' })
  expect(runGitIn(folder, 'status', '--porcelain')).toBe('')
})

test('a link is committed as a link, and an executable file as executable', async () => {
  const folder = await createRepository()
  await symlink('a.txt', join(folder, 'link'))
  await writeFile(join(folder, 'run'), 'x', { mode: 0o755 })
  expect(await commit(folder, { message: 'Two', paths: ['link', 'run'] })).toMatchObject({ kind: 'ok' })
  expect(runGitIn(folder, 'ls-tree', 'HEAD', 'link', 'run')).toMatch(/^120000 .*link\n100755 .*run\n$/)
})

test('[S13] a change after the approval is not committed', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  const seen = await planned(folder, { message: 'Two', paths: ['a.txt'] })
  await writeFiles(folder, { 'a.txt': 'three\n' })
  expect(await carriedOut(seen)).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('changed since'),
  })
  expect(runGitIn(folder, 'log', '--format=%s')).toBe('Begin\n')
  const again = await planned(folder, { message: 'Two', paths: ['a.txt'] })
  expect(again.approval?.state).not.toBe(seen.approval?.state)
})

test.each([
  ['another commit', ['commit', '--quiet', '--allow-empty', '--message', 'Other']],
  ['another branch', ['checkout', '--quiet', '-b', 'other']],
  ['another author', ['config', 'user.email', 'eve@example.org']],
])('[S13] %s after the preview needs a new approval', async (_, args) => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  const seen = await planned(folder, { message: 'Two', paths: ['a.txt'] })
  runGitIn(folder, ...args)
  const before = runGitIn(folder, 'rev-parse', 'HEAD')
  expect(await carriedOut(seen)).toMatchObject({ kind: 'failed' })
  expect(runGitIn(folder, 'rev-parse', 'HEAD')).toBe(before)
})

test('a branch locked by another program is not changed', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n', '.git/refs/heads/main.lock': '' })
  expect(await commit(folder, { message: 'Two', paths: ['a.txt'] })).toMatchObject({ kind: 'failed' })
  expect(runGitIn(folder, 'log', '--format=%s')).toBe('Begin\n')
})

test('an index locked by another program does not undo the commit, and is reported', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n', '.git/index.lock': '' })
  const said = await commit(folder, { message: 'Two', paths: ['a.txt'] })
  expect(said).toMatchObject({
    kind: 'ok',
    text: expect.stringContaining('index could not be updated'),
  })
  expect(runGitIn(folder, 'log', '-1', '--format=%s')).toBe('Two\n')
})

test('a cancelled call commits nothing', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  const seen = await planned(folder, { message: 'Two', paths: ['a.txt'] })
  await expect(seen.carryOut(AbortSignal.abort())).rejects.toThrow('abort')
  expect(runGitIn(folder, 'log', '--format=%s')).toBe('Begin\n')
})

test('[S12] the author comes from the repository or the person; without one, the commit is refused', async () => {
  const [folder, home] = [await createRepository(), await freshFolder()]
  runGitIn(folder, 'config', '--unset', 'user.name')
  runGitIn(folder, 'config', '--unset', 'user.email')
  await writeFiles(folder, { 'a.txt': 'two\n' })
  const input = { message: 'x', paths: ['a.txt'] }
  expect(await planCall(folder, 'git_commit', input, { environment: { HOME: home } })).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining('git config --global user.name'),
  })
  await writeFiles(home, {
    '.gitconfig': `[user]\n\tname = Grace\n\temail = g@example.org\n[includeIf "gitdir:${folder}/"]\n\tpath = work\n`,
    work: '[user]\n\temail = grace@work.example.org\n',
  })
  expect(await commit(folder, input, { environment: { HOME: home } })).toMatchObject({ kind: 'ok' })
  expect(runGitIn(folder, 'log', '-1', '--format=%an <%ae>')).toBe('Grace <grace@work.example.org>\n')
})

test('a commit leaves no locks behind, and no links', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  expect(await commit(folder, { message: 'x', paths: ['a.txt'] })).toMatchObject({ kind: 'ok' })
  expect((await readdir(join(folder, '.git'))).filter((name) => name.endsWith('.lock'))).toEqual([])
  expect((await lstat(join(folder, '.git/logs/HEAD'))).isFile()).toBe(true)
})
