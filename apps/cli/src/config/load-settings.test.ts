import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readEnvironment } from '../environment.ts'
import { trustFiles } from '../trust/trust-store.ts'
import { readConfigFile } from './read-config-file.ts'
import { loadSettings } from './load-settings.ts'

let root: string
let home: string
let project: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'parley-settings-')))
  home = join(root, 'ada', '.parley')
  project = join(root, 'ada', 'work', 'project')
  await mkdir(home, { recursive: true })
  await mkdir(join(project, 'deep', 'below'), { recursive: true })
  vi.stubEnv('HOME', join(root, 'ada'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(root, { recursive: true })
})

const write = async (path: string, text: string) => {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, text)
}

const load = (workingDir = project, environment: Record<string, string> = {}) =>
  loadSettings(readEnvironment({ PARLEY_HOME: home, ...environment }), { workingDir })

const chat = (lines: string) => `[chat]\n${lines}\n`

test('[S18] without files the defaults apply', async () => {
  expect(await load()).toMatchObject({
    chat: { default_model: 'offline/offline', fs_scope: 'sandboxed', max_turns: 50, on_exceed: 'fail' },
    files: [],
    sources: {},
    notices: [],
  })
})

test('[S18] own < workspace < project < environment < option, each value with its source', async () => {
  await write(
    join(home, 'config.toml'),
    chat('max_turns = 40\nauto_compact = false\nreasoning_effort = "low"'),
  )
  const workspace = join(project, '.parley', 'workspace.toml')
  await write(workspace, chat('max_turns = 30\ncompact_threshold = 0.5'))
  const file = join(project, '.parley', 'project.toml')
  await write(file, chat('max_turns = 20\nmax_messages = 10'))
  const {
    chat: merged,
    sources,
    files,
  } = await loadSettings(
    readEnvironment({
      PARLEY_HOME: home,
      PARLEY_CHAT_MAX_TURNS: '60',
      PARLEY_CHAT_ALLOWED_DOMAINS: 'a.org, b.org',
    }),
    {
      workingDir: join(project, 'deep'),
      given: [{ source: '--effort', config: { chat: { reasoning_effort: 'high' } }, reach: 'own' }],
    },
  )
  expect(merged).toMatchObject({
    max_turns: 60,
    max_messages: 10,
    auto_compact: false,
    compact_threshold: 0.5,
    reasoning_effort: 'high',
    allowed_domains: ['a.org', 'b.org'],
  })
  expect(sources).toEqual({
    'chat.max_turns': 'PARLEY_CHAT_MAX_TURNS',
    'chat.max_messages': file,
    'chat.auto_compact': join(home, 'config.toml'),
    'chat.compact_threshold': workspace,
    'chat.reasoning_effort': '--effort',
    'chat.allowed_domains': 'PARLEY_CHAT_ALLOWED_DOMAINS',
  })
  expect(files).toEqual([join(home, 'config.toml'), workspace, file])
})

test('[S18] the nearest project applies, but not the data folder or folders above the user’s home', async () => {
  await write(join(root, '.parley', 'project.toml'), chat('max_turns = 1'))
  await write(join(home, 'project.toml'), chat('max_turns = 2'))
  expect((await load()).chat.max_turns).toBe(50)
  await write(join(project, '.parley', 'project.toml'), chat('max_turns = 3'))
  await write(join(project, 'deep', '.parley', 'project.toml'), chat('max_turns = 4'))
  await writeFile(join(project, 'deep', 'below', '.parley'), 'a file, not a folder')
  expect((await load(join(project, 'deep', 'below'))).chat.max_turns).toBe(4)
  expect((await load(project)).chat.max_turns).toBe(3)
  expect((await load(join(root, 'ada'))).chat.max_turns).toBe(50)
})

test('[S18] a .parley folder that links to the data folder is not a project', async () => {
  await write(join(home, 'project.toml'), chat('max_turns = 2'))
  await symlink(home, join(project, '.parley'))
  expect((await load()).chat.max_turns).toBe(50)
})

test('[S13] wider settings of a project are ignored with a notice until exactly these bytes are trusted', async () => {
  const file = join(project, '.parley', 'project.toml')
  await write(file, chat('fs_scope = "project"\nmax_turns = 9'))
  const before = await load()
  expect(before).toMatchObject({
    chat: { fs_scope: 'sandboxed', max_turns: 9 },
    ignored: [{ key: 'chat.fs_scope' }],
  })
  expect(before.notices).toEqual([
    '.parley/project.toml asks for more than your own config allows. Ignored: chat.fs_scope; your own settings apply. Review it: parley trust',
  ])

  const read = await readConfigFile(file)
  await trustFiles(home, [{ path: file, sha256: read?.sha256 ?? '' }])
  expect(await load()).toMatchObject({ chat: { fs_scope: 'project' }, ignored: [], notices: [] })

  await writeFile(file, chat('fs_scope = "project"\nmax_turns = 9 '))
  expect(await load()).toMatchObject({ chat: { fs_scope: 'sandboxed' }, ignored: [{ key: 'chat.fs_scope' }] })
})

test('[S13] the same bytes elsewhere are not trusted', async () => {
  const text = chat('fs_scope = "full"')
  await write(join(project, '.parley', 'project.toml'), text)
  await write(join(project, 'deep', '.parley', 'project.toml'), text)
  const read = await readConfigFile(join(project, '.parley', 'project.toml'))
  await trustFiles(home, [{ path: read?.file ?? '', sha256: read?.sha256 ?? '' }])
  expect((await load(project)).chat.fs_scope).toBe('full')
  expect((await load(join(project, 'deep'))).chat.fs_scope).toBe('sandboxed')
})

test('[S13] each of two files needs its own trust', async () => {
  const workspace = join(project, '.parley', 'workspace.toml')
  await write(workspace, chat('fs_scope = "project"'))
  await write(
    join(project, '.parley', 'project.toml'),
    chat('fs_scope = "full"\nallowed_domains = ["a.org"]'),
  )
  const read = await readConfigFile(workspace)
  await trustFiles(home, [{ path: workspace, sha256: read?.sha256 ?? '' }])
  const settings = await load()
  expect(settings.chat).toMatchObject({ fs_scope: 'project', allowed_domains: [] })
  expect(settings.notices).toHaveLength(1)
  expect(settings.ignored.map(({ key }) => key)).toEqual(['chat.fs_scope', 'chat.allowed_domains'])
})

test('[S13] a broken list of trusted files trusts nothing, and says so', async () => {
  await write(join(project, '.parley', 'project.toml'), chat('fs_scope = "full"'))
  await writeFile(join(home, 'trust.json'), '{"files":[{"path":1}]}')
  await expect(load()).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(join(home, 'trust.json')),
  })
})

test.each([
  ['PARLEY_CHAT_MAX_TURNS', 'many'],
  ['PARLEY_CHAT_FS_SCOPE', 'everything'],
  ['PARLEY_CHAT_AUTO_COMPACT', 'maybe'],
  ['PARLEY_CHAT_ALLOWED_DOMAINS', 'https://a.org'],
])('[S18] an invalid %s is reported by name', async (name, value) => {
  await expect(load(project, { [name]: value })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`The environment variable ${name} `),
  })
})

test.each([
  ['PARLEY_CHAT_DEFAULT_MODEL', 'a/b:c', { default_model: 'a/b:c' }],
  ['PARLEY_CHAT_AUTO_COMPACT', 'false', { auto_compact: false }],
  ['PARLEY_CHAT_COMPACT_THRESHOLD', '0.5', { compact_threshold: 0.5 }],
  ['PARLEY_CHAT_ALLOWED_COMMANDS', 'npm test, git status', { allowed_commands: ['npm test', 'git status'] }],
])('[S18] %s is read', async (name, value, expected) => {
  expect((await load(project, { [name]: value })).chat).toMatchObject(expected)
})
