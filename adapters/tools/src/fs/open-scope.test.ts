import { symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { FsScopeTier } from '@parley/contracts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findProject } from './paths.ts'
import { openScope } from './open-scope.ts'
import { freshFolder, put } from './testing/file-fixture.ts'

async function resolved(
  folder: string,
  path: string,
  given: {
    tier?: FsScopeTier
    root?: string
    home?: string
    use?: 'read' | 'write'
    workingDir?: string
  } = {},
): Promise<string> {
  const { tier = 'sandboxed', root, home, use = 'read', workingDir = join(folder, 'work') } = given
  const scope = await openScope(
    { workingDir, fsScopeTier: tier },
    { tier: 'full', ...(root !== undefined && { root }) },
    home,
  )
  if (scope.kind === 'refused') return scope.text
  const place = await scope.resolve(path, use)
  return place.kind === 'refused' ? place.text : place.path.replace(folder, 'TOP')
}

async function world(): Promise<string> {
  const folder = await freshFolder()
  await put(folder, {
    'secret.txt': 'outside',
    'project/.git/HEAD': 'ref',
    'project/readme.md': 'read me',
    'project/work/deep/a.txt': 'a',
    'work/a.txt': 'a',
    'work/.env': 'KEY=made-up',
  })
  await symlink('../secret.txt', join(folder, 'work', 'leak'))
  await symlink('..', join(folder, 'work', 'up'))
  await symlink('leak', join(folder, 'work', 'chain'))
  await symlink('loop', join(folder, 'work', 'loop'))
  await symlink('../nothing', join(folder, 'work', 'dangling'))
  await symlink('.env', join(folder, 'work', 'harmless.txt'))
  return folder
}

test.each([
  ['a relative path', 'a.txt', 'TOP/work/a.txt'],
  ['the folder itself', '.', 'TOP/work'],
  ['up and back again', '../work/a.txt', 'TOP/work/a.txt'],
  ['a new file in new folders', 'x/y/z.txt', 'TOP/work/x/y/z.txt'],
  ['a link that leads back inside', 'up/work/a.txt', 'TOP/work/a.txt'],
  ['a tilde, which is a name like others', '~/a', 'TOP/work/~/a'],
])('[S13] reaches %s', async (_, path, expected) => {
  expect(await resolved(await world(), path)).toBe(expected)
})

test.each([
  ['the folder above', '..', 'outside of the working folder'],
  ['dots', '../secret.txt', 'outside of the working folder'],
  ['dots after a folder', 'x/../../secret.txt', 'does not exist'],
  ['a link', 'leak', 'outside of the working folder'],
  ['a chain of links', 'chain', 'outside of the working folder'],
  ['a link to a folder above', 'up/secret.txt', 'outside of the working folder'],
  ['a new file through a link', 'up/new.txt', 'outside of the working folder'],
  ['a link that leads to nothing', 'dangling', 'link that leads to nothing'],
  ['a circle of links', 'loop', 'in a circle'],
  ['an absolute path', '/etc/passwd', 'outside of the working folder'],
  ['a path with a like beginning', '../work-too/x', 'outside of the working folder'],
  ['a NUL character', 'a.txt\0.png', 'NUL'],
  ['a protected file', '.env', 'is protected'],
  ['a link with a harmless name', 'harmless.txt', 'is protected'],
  ['a folder that is a file', 'a.txt/b', 'as if it were a folder'],
  ['a root through /proc', '/proc/self/root/etc/passwd', 'outside of the working folder'],
])('[S13] attack: %s does not leave the folder', async (_, path, reason) => {
  expect(await resolved(await world(), path)).toContain(reason)
})

test('[S13] the tier "project" reaches the project around the working folder, and no more', async () => {
  const folder = await world()
  const given = { tier: 'project', workingDir: join(folder, 'project', 'work') } as const
  expect(await resolved(folder, '../readme.md', given)).toBe('TOP/project/readme.md')
  expect(await resolved(folder, '../../secret.txt', given)).toContain('outside of the project')
  expect(await resolved(folder, '../.git/HEAD', given)).toContain('is protected')
})

test('[S13] without a project, the tier "project" is the working folder', async () => {
  const folder = await world()
  expect(await findProject(join(folder, 'work'))).toBe(join(folder, 'work'))
})

test("[S13] attack: a person's home, or a folder around it, is never a project", async () => {
  expect(await findProject(homedir())).toBe(homedir())
  expect(await findProject('/')).toBe('/')
})

test('[S13] the tier "full" reaches everything but virtual system files', async () => {
  const folder = await world()
  expect(await resolved(folder, '../secret.txt', { tier: 'full' })).toBe('TOP/secret.txt')
  expect(await resolved(folder, '.env', { tier: 'full' })).toBe('TOP/work/.env')
})

test.each(FsScopeTier.options)(
  '[S13] attack: /proc, /sys and /dev are out of reach, tier %s',
  async (tier) => {
    const folder = await world()
    for (const path of [
      '/proc/self/environ',
      '/proc/1/mem',
      '/sys/kernel',
      '/dev/null',
      '/dev/zero',
      '/proc',
    ])
      expect(await resolved(folder, path, { tier })).toMatch(
        /belongs to the system|outside of|cannot|no right/,
      )
  },
)

test.each(FsScopeTier.options)('[S13] no session leaves the configured root, tier %s', async (tier) => {
  const folder = await world()
  const root = join(folder, 'project')
  const workingDir = join(root, 'work')
  expect(await resolved(folder, 'deep/a.txt', { tier, root, workingDir })).toBe('TOP/project/work/deep/a.txt')
  expect(await resolved(folder, '../../secret.txt', { tier, root, workingDir })).toContain('outside of')
  expect(await resolved(folder, 'a.txt', { tier, root })).toContain('no file can be reached')
  expect(await resolved(folder, 'a.txt', { tier, root: join(folder, 'none') })).toContain(
    'no file can be reached',
  )
})

test('[S13] attack: a project around the root does not widen it', async () => {
  const folder = await world()
  const root = join(folder, 'project', 'work')
  const given = { tier: 'project', root, workingDir: join(root, 'deep') } as const
  expect(await resolved(folder, '../../readme.md', given)).toContain('outside of')
  expect(await resolved(folder, 'a.txt', given)).toBe('TOP/project/work/deep/a.txt')
})

test.each(FsScopeTier.options)("[S13] Parley's own data are out of reach, tier %s", async (tier) => {
  const folder = await world()
  const home = join(folder, 'work', 'data')
  await put(home, { 'history.key': 'made-up', 'postgres/base/1': 'x', 'workspace/ada/a.txt': 'a' })
  await symlink('data', join(folder, 'work', 'notes'))
  await symlink('data/history.key', join(folder, 'work', 'key.txt'))
  for (const path of [
    'data',
    'data/history.key',
    'data/new/folder/x',
    'data/postgres/base/1',
    'notes/history.db-wal',
    'key.txt',
    `${home}/history.key`,
  ])
    for (const use of ['read', 'write'] as const)
      expect(await resolved(folder, path, { home, tier, use })).toMatch(/own data|is protected/)
  expect(await resolved(folder, 'a.txt', { home, tier })).toBe('TOP/work/a.txt')
})

test.each<[string, Readonly<Record<string, string>>]>([
  ['a key', { 'history.key': 'made-up' }],
  ['a history whose key is elsewhere', { 'history.db': 'x', 'history.check': 'made-up' }],
  [
    'a database',
    { 'postgres/password': 'made-up', 'postgres/postgres.log': 'x', 'postgres/data/PG_VERSION': '17' },
  ],
])('[S13] an unused data folder is recognised by its files: %s', async (_, files) => {
  const folder = await world()
  const home = join(folder, 'data')
  await put(join(folder, 'work', 'other'), { ...files, 'owner-token': 'made-up', 'deep/a.txt': 'a' })
  await symlink('other', join(folder, 'work', 'notes'))
  for (const path of ['other', 'other/owner-token', 'notes/owner-token', 'other/deep/a.txt', 'other/new'])
    for (const use of ['read', 'write'] as const)
      expect(await resolved(folder, path, { home, tier: 'full', use })).toContain('own data')
  expect(await resolved(folder, 'a.txt', { home, tier: 'full' })).toBe('TOP/work/a.txt')
})

test('[S13] the default data folder is out of reach even if another is in use', async () => {
  const folder = await world()
  vi.stubEnv('HOME', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  await put(folder, { '.parley/voice-key': 'made-up' })
  const given = { home: join(folder, 'data'), tier: 'full' } as const
  expect(await resolved(folder, '../.parley/voice-key', given)).toContain('own data')
  expect(await resolved(folder, '../secret.txt', given)).toBe('TOP/secret.txt')
})

test('[S13] a folder with a history.db or a database of another program can be used', async () => {
  const folder = await world()
  await put(join(folder, 'work'), { 'history.db': 'SQLite format 3', 'postgres/data/PG_VERSION': '17' })
  expect(await resolved(folder, 'history.db', { tier: 'full' })).toBe('TOP/work/history.db')
})

test.each(FsScopeTier.options)(
  "[S13] a server's sessions reach their folder among Parley's own data and nothing around it, tier %s",
  async (tier) => {
    const folder = await world()
    const home = join(folder, 'data')
    const root = join(home, 'workspace')
    await put(home, { 'history.key': 'made-up', 'workspace/ada/a.txt': 'a' })
    const workingDir = join(root, 'ada')
    expect(await resolved(folder, 'a.txt', { home, tier, root, workingDir })).toBe(
      'TOP/data/workspace/ada/a.txt',
    )
    expect(await resolved(folder, '../../history.key', { home, tier, root, workingDir })).toMatch(
      /outside of|is protected/,
    )
    const around = { home, tier, root: home, workingDir }
    expect(await resolved(folder, '../../history.key', around)).toMatch(/own data|outside of|is protected/)
  },
)

test('[S13] the narrower of the two tiers applies', async () => {
  const folder = await world()
  const scope = await openScope(
    { workingDir: join(folder, 'work'), fsScopeTier: 'full' },
    { tier: 'sandboxed' },
  )
  expect(scope).toMatchObject({ kind: 'scope', tier: 'sandboxed', root: join(folder, 'work') })
})

test('a missing working folder is reported', async () => {
  const folder = await world()
  expect(await resolved(folder, 'a', { workingDir: join(folder, 'gone') })).toContain('does not exist')
})
