import { access, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder, writeScript } from '../command/command.fixture.ts'
import { carryOutCall, createRepository, runGitIn, writeFiles } from './git.fixture.ts'

interface Plant {
  /** Settings of the repository. RUN becomes a program that leaves a trace. */
  readonly config?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  readonly hooks?: readonly string[]
  /** A command of a person that runs the program, to prove that the trap works. */
  readonly proof?: readonly string[]
}

const everyFile = (attribute: string) => ({ '.git/info/attributes': `* ${attribute}\n` })
const commitAll = ['commit', '--all', '--message', 'x']

const HOOKS = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'reference-transaction',
  'post-index-change',
  'pre-auto-gc',
]

const PLANTS: Readonly<Record<string, Plant>> = {
  'a hook': { hooks: HOOKS, proof: commitAll },
  'a folder of hooks': { config: { 'core.hooksPath': 'FOLDER' }, proof: commitAll },
  'a hook in the config': { config: { 'hook.x.command': 'RUN', 'hook.x.event': 'reference-transaction' } },
  'a monitor of files': { config: { 'core.fsmonitor': 'RUN' }, proof: ['status'] },
  'a filter for added files': {
    config: { 'filter.x.clean': 'RUN' },
    files: everyFile('filter=x'),
    proof: ['diff'],
  },
  'a filter that stays': {
    config: { 'filter.x.process': 'RUN' },
    files: everyFile('filter=x'),
    proof: ['diff'],
  },
  'a filter that is required': {
    config: { 'filter.x.clean': 'RUN', 'filter.x.required': 'true' },
    files: { '.gitattributes': '*.txt filter=x\n' },
    proof: ['diff'],
  },
  'a filter for checked out files': {
    config: { 'filter.x.smudge': 'RUN' },
    files: everyFile('filter=x'),
    proof: ['checkout', '--', 'a.txt'],
  },
  'another program for differences': { config: { 'diff.external': 'RUN' }, proof: ['diff'] },
  'a driver of differences': {
    config: { 'diff.x.command': 'RUN' },
    files: everyFile('diff=x'),
    proof: ['diff'],
  },
  'a program that turns files into text': {
    config: { 'diff.x.textconv': 'RUN', 'diff.x.cachetextconv': 'true' },
    files: everyFile('diff=x'),
    proof: ['diff'],
  },
  'a driver of merges': { config: { 'merge.x.driver': 'RUN' }, files: everyFile('merge=x') },
  'a pager': {
    config: { 'core.pager': 'RUN', 'pager.log': 'RUN', 'pager.status': 'RUN', 'pager.diff': 'RUN' },
  },
  'an editor': {
    config: { 'core.editor': 'RUN' },
    proof: ['commit', '--all', '--allow-empty-message', '--edit', '-m', ''],
  },
  'a program that signs': {
    config: { 'gpg.program': 'RUN', 'commit.gpgSign': 'true', 'log.showSignature': 'true' },
  },
  'an alias of a command': {
    config: {
      'alias.status': '!RUN',
      'alias.diff': '!RUN',
      'alias.log': '!RUN',
      'alias.commit-tree': '!RUN',
      'alias.x': '!RUN',
    },
    proof: ['x'],
  },
  'a helper for passwords': {
    config: { 'credential.helper': '!RUN', 'core.askPass': 'RUN', 'core.sshCommand': 'RUN' },
  },
  'a config that is included': {
    config: { 'include.path': 'more' },
    files: { '.git/more': '[core]\n\tfsmonitor = RUN\n' },
    proof: ['status'],
  },
  'a config that is included on a condition': {
    config: { 'includeIf.onbranch:main.path': 'more' },
    files: { '.git/more': '[core]\n\tfsmonitor = RUN\n' },
    proof: ['status'],
  },
  'a config of a worktree': {
    config: { 'core.repositoryformatversion': '1', 'extensions.worktreeConfig': 'true' },
    files: { '.git/config.worktree': '[core]\n\tfsmonitor = RUN\n' },
    proof: ['status'],
  },
}

const LOOKS = ['status', 'diff', 'staged_diff', 'log']

async function planted({ config = {}, files = {}, hooks = [] }: Plant) {
  const [folder, outside] = [await createRepository(), await freshFolder()]
  const trace = join(outside, 'trace')
  const run = await writeScript(join(outside, 'run'), `echo ran > ${trace}`, 'cat 2>/dev/null; exit 0')
  const hooksFolder = join(outside, 'hooks')
  await mkdir(hooksFolder)
  for (const name of HOOKS) await writeScript(join(hooksFolder, name), run)
  await writeFiles(folder, { 'a.txt': 'two\n', 'src/b.txt': 'staged\n', 'new.txt': 'new\n' })
  runGitIn(folder, 'add', 'src/b.txt')

  const filled = (text: string) => text.replaceAll('RUN', run).replaceAll('FOLDER', hooksFolder)
  await writeFiles(
    folder,
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, filled(text)])),
  )
  for (const [name, value] of Object.entries(config)) runGitIn(folder, 'config', name, filled(value))
  for (const name of hooks) await writeScript(join(folder, '.git/hooks', name), run)
  await rm(trace, { force: true })
  const hasRun = () =>
    access(trace).then(
      () => true,
      () => false,
    )
  return { folder, hasRun }
}

test.each(Object.entries(PLANTS))('[S13] attack: %s never runs', async (_, plant) => {
  const { folder, hasRun } = await planted(plant)
  for (const show of LOOKS) {
    expect(await carryOutCall(folder, 'git_status', { show })).toMatchObject({ kind: 'ok' })
    expect(await hasRun()).toBe(false)
  }
  expect(await carryOutCall(folder, 'git_commit', { message: 'Staged' })).toMatchObject({ kind: 'ok' })
  const { kind, text } = await carryOutCall(folder, 'git_commit', { message: 'Files', paths: ['new.txt'] })
  // A filter's output is unknown without running it.
  const isFiltered = Object.keys(plant.config ?? {}).some((name) => name.startsWith('filter.'))
  expect(kind).toBe(isFiltered ? 'failed' : 'ok')
  expect(text).toContain(isFiltered ? '"new.txt" goes through the filter "x"' : 'Committed')
  expect(await hasRun()).toBe(false)
})

test.each(Object.entries(PLANTS).filter(([, { proof }]) => proof))(
  '%s would run where a person uses git',
  async (_, plant) => {
    const { folder, hasRun } = await planted(plant)
    try {
      runGitIn(folder, ...(plant.proof ?? []))
    } catch {
      // It may fail; only the trace matters.
    }
    expect(await hasRun()).toBe(true)
  },
)

test('[S13] attack: nothing of a submodule runs', async () => {
  const [folder, other] = [await createRepository(), await createRepository()]
  runGitIn(folder, 'submodule', '--quiet', 'add', `file://${other}`, 'sub')
  runGitIn(folder, 'commit', '--quiet', '--message', 'Add a submodule')
  const trace = join(await freshFolder(), 'trace')
  const run = await writeScript(join(await freshFolder(), 'run'), `echo ran > ${trace}`)
  runGitIn(join(folder, 'sub'), 'config', 'core.fsmonitor', run)
  await writeFiles(folder, { 'sub/a.txt': 'changed\n', 'a.txt': 'two\n' })
  await rm(trace, { force: true })

  for (const show of LOOKS)
    expect(await carryOutCall(folder, 'git_status', { show })).toMatchObject({ kind: 'ok' })
  await carryOutCall(folder, 'git_commit', { message: 'x', paths: ['sub'] })
  await carryOutCall(folder, 'git_commit', { message: 'x', paths: ['sub/a.txt'] })
  expect(await carryOutCall(folder, 'git_commit', { message: 'x', paths: ['a.txt'] })).toMatchObject({
    kind: 'ok',
  })
  await expect(access(trace)).rejects.toThrow('ENOENT')
  runGitIn(folder, 'status')
  await access(trace)
})

test('[S13] attack: a missing object is not fetched', async () => {
  const folder = await createRepository()
  const trace = join(await freshFolder(), 'trace')
  const run = await writeScript(join(await freshFolder(), 'run'), `echo ran > ${trace}`)
  const blob = runGitIn(folder, 'rev-parse', 'HEAD:a.txt').trim()
  await rm(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)))
  runGitIn(folder, 'config', 'core.repositoryformatversion', '1')
  for (const [name, value] of Object.entries({
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
    'remote.origin.url': `ext::${run}`,
    'protocol.ext.allow': 'always',
  }))
    runGitIn(folder, 'config', name, value)
  await writeFiles(folder, { 'a.txt': 'changed\n' })
  for (const show of LOOKS) await carryOutCall(folder, 'git_status', { show }).catch(() => undefined)
  await carryOutCall(folder, 'git_commit', { message: 'x', paths: ['a.txt'] }).catch(() => undefined)
  await expect(access(trace)).rejects.toThrow('ENOENT')
  expect(() => runGitIn(folder, 'diff')).toThrow('Command failed')
  await access(trace)
})

test('[S13] attack: a worktree named by the config is not read', async () => {
  const [folder, outside] = [await createRepository(), await freshFolder()]
  await writeFiles(outside, { 'a.txt': 'made-up-secret\n' })
  runGitIn(folder, 'config', 'core.worktree', outside)
  expect((await carryOutCall(folder, 'git_status', { show: 'diff' })).text).not.toContain('made-up')
  runGitIn(folder, 'config', '--unset', 'core.worktree')
  runGitIn(folder, 'config', 'core.bare', 'true')
  expect(await carryOutCall(folder, 'git_status', {})).toMatchObject({
    kind: 'ok',
    text: 'On main.\nNo changes.',
  })
})

test('[S13] attack: a git program in the project is not run', async () => {
  const folder = await createRepository()
  const trace = join(await freshFolder(), 'trace')
  await mkdir(join(folder, 'bin'))
  await writeScript(join(folder, 'bin/git'), `echo ran > ${trace}`)
  const environment = { PATH: `${join(folder, 'bin')}:bin:.:/usr/bin` }
  expect(await carryOutCall(folder, 'git_status', {}, { environment })).toMatchObject({ kind: 'ok' })
  await expect(access(trace)).rejects.toThrow('ENOENT')
})

test('[S13] attack: variables that control git are not passed on', async () => {
  const [folder, other] = [await createRepository(), await freshFolder()]
  const environment = {
    GIT_DIR: other,
    GIT_TRACE: join(other, 'trace'),
    GIT_EXTERNAL_DIFF: '/bin/false',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: '/bin/false',
  }
  for (const show of LOOKS)
    expect(await carryOutCall(folder, 'git_status', { show }, { environment })).toMatchObject({ kind: 'ok' })
  expect(await readdir(other)).toEqual([])
})
