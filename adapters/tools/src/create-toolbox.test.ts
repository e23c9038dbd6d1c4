import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder } from './command/command.fixture.ts'
import {
  carryOutCall,
  createEmptyRepository,
  createRepository,
  runGitIn,
  planCall,
  getResultText,
  writeFiles,
} from './git/git.fixture.ts'

test('[S12] the status names the branch and the changed, staged and new files', async () => {
  const folder = await createRepository()
  expect(await getResultText(folder, {})).toBe('On main.\nNo changes.')
  await writeFiles(folder, { 'a.txt': 'changed\n', 'new file.txt': 'x', 'staged.txt': 'x', 'z\n1': 'x' })
  runGitIn(folder, 'add', 'staged.txt')
  await rm(join(folder, 'src/b.txt'))
  expect(await getResultText(folder, { show: 'status' })).toBe(
    ['On main.', ' M a.txt', ' D src/b.txt', 'A  staged.txt', '?? new file.txt', String.raw`?? z\u{a}1`].join(
      '\n',
    ),
  )
  expect(await getResultText(folder, { path: 'src' })).toBe('On main.\n D src/b.txt')
})

test('[S12] a repository without commits has a status and an empty log', async () => {
  const folder = await createEmptyRepository()
  await writeFiles(folder, { 'a.txt': 'one\n' })
  runGitIn(folder, 'add', 'a.txt')
  expect(await getResultText(folder, {})).toBe('On main, which has no commits yet.\nA  a.txt')
  expect(await getResultText(folder, { show: 'log' })).toBe('There are no commits yet.')
  expect(await getResultText(folder, { show: 'staged_diff' })).toContain('+one')
})

test('[S12] unstaged and staged changes are shown separately', async () => {
  const folder = await createRepository()
  expect(await getResultText(folder, { show: 'diff' })).toMatch(/^No unstaged changes/)
  expect(await getResultText(folder, { show: 'staged_diff' })).toBe('Nothing is staged.')
  await writeFiles(folder, { 'a.txt': 'staged\n', 'src/b.txt': 'unstaged\n' })
  runGitIn(folder, 'add', 'a.txt')
  const [diff, staged] = [
    await getResultText(folder, { show: 'diff' }),
    await getResultText(folder, { show: 'staged_diff' }),
  ]
  expect(diff).toContain('+unstaged')
  expect(diff).not.toContain('+staged')
  expect(staged).toContain('+staged')
  expect(staged).not.toContain('+unstaged')
  expect(await getResultText(folder, { show: 'diff', path: 'a.txt' })).toMatch(/^No unstaged changes/)
})

test('a file changed right after it was staged is shown as changed', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'two\n' })
  runGitIn(folder, 'add', 'a.txt')
  await writeFiles(folder, { 'a.txt': 'six\n' })
  expect(await getResultText(folder, { show: 'diff' })).toContain('+six')
})

test('[S12] the log has a block per commit, up to the requested count', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'c.txt': 'x' })
  runGitIn(folder, 'add', 'c.txt')
  runGitIn(folder, 'commit', '--quiet', '--message', 'Second\n\nWith a body\nof two lines')
  const log = await getResultText(folder, { show: 'log' })
  expect(log).toMatch(
    /^[0-9a-f]+ \S+ Ada Example <ada@example\.org>\n {4}Second\n\n {4}With a body\n {4}of two lines\n\n[0-9a-f]+ .*\n {4}Begin$/,
  )
  expect(await getResultText(folder, { show: 'log', count: 1 })).not.toContain('Begin')
  expect(await getResultText(folder, { show: 'log', path: 'a.txt' })).not.toContain('Second')
})

test('[S12] a repository is searched above the working folder, within the session’s scope', async () => {
  const folder = await createRepository()
  const inner = join(folder, 'src')
  await writeFiles(folder, { 'src/b.txt': 'changed\n' })
  expect(await planCall(inner, 'git_status', {})).toMatchObject({ kind: 'refused', code: 'tool_unavailable' })
  const project = { context: { fsScopeTier: 'project' } } as const
  expect(await getResultText(inner, {}, project)).toContain(' M src/b.txt')
  expect(await getResultText(inner, { path: 'b.txt' }, project)).toContain(' M src/b.txt')
  expect(await getResultText(inner, { path: '..' }, project)).toContain(' M src/b.txt')
  const capped = { ...project, policy: { root: inner } }
  expect(await planCall(inner, 'git_status', {}, capped)).toMatchObject({ kind: 'refused' })
})

test('needs no approval and may be repeated', async () => {
  const planned = await planCall(await createRepository(), 'git_status', { show: 'log' })
  expect(planned).toMatchObject({ kind: 'plan', origin: 'git log' })
  expect(planned).not.toHaveProperty('approval')
})

test('a folder without a repository is reported', async () => {
  expect(await carryOutCall(await freshFolder(), 'git_status', {})).toMatchObject({
    kind: 'failed',
    code: 'tool_unavailable',
  })
})

test('[S13] attack: protected files do not show in differences', async () => {
  const folder = await createRepository()
  await writeFiles(folder, {
    '.env': 'KEY=made-up-old\n',
    'src/.env.local': 'KEY=made-up-old\n',
    'ok.txt': 'fine\n',
  })
  runGitIn(folder, 'add', '--all', '--force')
  const staged = await getResultText(folder, { show: 'staged_diff' })
  runGitIn(folder, 'commit', '--quiet', '--message', 'Oops')
  await writeFiles(folder, {
    '.env': 'KEY=made-up-new\n',
    'src/.env.local': 'KEY=made-up-new\n',
    'ok.txt': 'better\n',
  })
  const diff = await getResultText(folder, { show: 'diff' })
  for (const text of [staged, diff]) {
    expect(text).not.toContain('made-up')
    expect(text).toContain('not shown: .env, src/.env.local')
  }
  expect(diff).toContain('+better')
  expect(await getResultText(folder, { show: 'log' })).not.toContain('made-up')
  expect(await planCall(folder, 'git_status', { show: 'diff', path: '.env' })).toMatchObject({
    kind: 'refused',
  })
})

test.each([
  '--output=pwned',
  '-c',
  '--upload-pack=touch pwned',
  ':(exclude)a.txt',
  ':/',
  ':!a.txt',
  '*',
  '--',
])('[S13] attack: the path %j is only a path', async (path) => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'changed\n' })
  for (const show of ['status', 'diff', 'staged_diff', 'log']) {
    const text = await getResultText(folder, { show, path })
    expect(text).not.toContain('a.txt')
    expect(text).not.toContain('Begin')
  }
  expect(await readdir(folder)).toEqual(['.git', 'a.txt', 'src'])
})

test.each(['--output=pwned', ':(exclude)*', '-', 'a\nb', '*', 'ü.txt'])(
  '[S13] attack: a file named %j shows only its own changes',
  async (name) => {
    const folder = await createRepository()
    await writeFiles(folder, { [name]: 'old\n', '.env': 'KEY=made-up\n' })
    runGitIn(folder, 'add', '--all')
    runGitIn(folder, 'commit', '--quiet', '--message', 'x')
    await writeFiles(folder, { [name]: 'new\n', '.env': 'KEY=made-up-too\n' })
    const text = await getResultText(folder, { show: 'diff' })
    expect(text).toContain('-old\n+new\n')
    expect(text).not.toContain('made-up')
    expect((await readdir(folder)).toSorted()).toEqual([name, '.env', '.git', 'a.txt', 'src'].toSorted())
  },
)

test.each(['../x', '/etc/passwd', '.git/config', 'a\0b'])(
  '[S13] attack: the path %j is refused',
  async (path) => {
    expect(await planCall(await createRepository(), 'git_status', { path })).toMatchObject({
      kind: 'refused',
    })
  },
)

test('reading changes nothing, not even the index', async () => {
  const folder = await createRepository()
  await writeFiles(folder, { 'a.txt': 'one\n' })
  const index = join(folder, '.git/index')
  const before = [
    await readFile(index, 'hex'),
    (await stat(index)).mtimeMs,
    runGitIn(folder, 'count-objects'),
  ]
  await mkdir(join(folder, 'empty'))
  for (const show of ['status', 'diff', 'staged_diff', 'log']) await getResultText(folder, { show })
  expect([
    await readFile(index, 'hex'),
    (await stat(index)).mtimeMs,
    runGitIn(folder, 'count-objects'),
  ]).toEqual(before)
})

test('a repository with SHA-256 is read', async () => {
  const folder = await createRepository('--object-format=sha256')
  await writeFiles(folder, { 'a.txt': 'changed\n' })
  expect(await getResultText(folder, { show: 'diff' })).toContain('+changed')
  expect(await getResultText(folder, { show: 'log' })).toContain('Begin')
})

test('packed branches, a split index and ignored files are supported', async () => {
  const folder = await createRepository()
  await writeFiles(folder, {
    '.gitignore': '*.log\n',
    'x.log': 'x',
    'y.tmp': 'y',
    '.git/info/exclude': '*.tmp\n',
  })
  runGitIn(folder, 'update-index', '--split-index')
  runGitIn(folder, 'pack-refs', '--all')
  expect(await getResultText(folder, {})).toBe('On main.\n?? .gitignore')
  expect(await getResultText(folder, { show: 'log' })).toContain('Begin')
})

test('a shallow clone has a log', async () => {
  const folder = await createRepository()
  runGitIn(folder, 'commit', '--quiet', '--allow-empty', '--message', 'Second')
  const clone = join(await freshFolder(), 'clone')
  runGitIn(folder, 'clone', '--quiet', '--depth=1', `file://${folder}`, clone)
  const log = await getResultText(clone, { show: 'log' })
  expect(log).toContain('Second')
  expect(log).not.toContain('Begin')
})

test('line ends are compared by the repository’s settings', async () => {
  const folder = await createRepository()
  runGitIn(folder, 'config', 'core.autocrlf', 'true')
  await writeFiles(folder, { 'a.txt': 'one\r\n' })
  expect(await getResultText(folder, { show: 'diff' })).not.toContain('+one')
})

test('a repository of an unknown kind is not used', async () => {
  const folder = await createRepository()
  runGitIn(folder, 'config', 'core.repositoryformatversion', '1')
  runGitIn(folder, 'config', 'extensions.refstorage', 'reftable')
  expect(await getResultText(folder, {})).toContain('not supported here')
})

test("[S13] attack: Parley's own data in a repository are neither shown nor committed, even in the tier full", async () => {
  const folder = await createRepository()
  const home = join(folder, 'data')
  await writeFiles(folder, { 'data/history.txt': 'made up\n' })
  runGitIn(folder, 'add', '--all')
  runGitIn(folder, 'commit', '--quiet', '--message', 'Own data')
  await writeFiles(folder, { 'data/history.txt': 'made-up-secret\n', 'data/new.txt': 'made-up-secret\n' })
  const full = { context: { fsScopeTier: 'full' }, policy: { tier: 'full' }, home } as const
  const shown = await getResultText(folder, { show: 'diff' }, full)
  expect(shown).not.toContain('made-up')
  expect(shown).toContain('not shown: data/history.txt')
  for (const paths of [['data/history.txt'], ['data/new.txt'], ['.']])
    expect(await planCall(folder, 'git_commit', { message: 'x', paths }, full)).toMatchObject({
      kind: 'refused',
    })
})
