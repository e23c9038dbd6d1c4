import { execFileSync, spawn } from 'node:child_process'
import {
  chmod,
  link,
  mkdir,
  readFile,
  readdir,
  rename,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CallId, FsScopeTier, type Json } from '@parley/contracts'
import { type ToolsHost, createToolRegistry } from '@parley/engine'
import { sha256 } from './read-bytes.ts'
import { freshFolder, put, toolsIn } from './testing/file-fixture.ts'

async function toolsWith(files: Readonly<Record<string, string>> = {}) {
  const folder = join(await freshFolder(), 'work')
  await put(folder, files)
  return { folder, ...toolsIn({ workingDir: folder }) }
}

test('[S12] write_file creates a file and its parent folders', async () => {
  const { folder, call } = await toolsWith()
  expect(await call('write_file', { path: 'x/y/a.txt', content: 'grüße\n' })).toEqual({
    kind: 'ok',
    text: 'Created x/y/a.txt, 8 bytes.',
  })
  expect(await readFile(join(folder, 'x/y/a.txt'), 'utf8')).toBe('grüße\n')
  expect((await stat(join(folder, 'x/y/a.txt'))).mode & 0o777).toBe(0o644 & ~process.umask())
  expect(await readdir(join(folder, 'x/y'))).toEqual(['a.txt'])
})

test('[S12] write_file replaces a file, and keeps its mode and symbolic links to it', async () => {
  const { folder, call } = await toolsWith({ 'run.sh': 'old' })
  await chmod(join(folder, 'run.sh'), 0o750)
  await symlink('run.sh', join(folder, 'link'))
  expect((await call('write_file', { path: 'link', content: 'new' })).text).toBe('Replaced run.sh, 3 bytes.')
  expect(await readFile(join(folder, 'link'), 'utf8')).toBe('new')
  expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o750)
  expect((await readdir(folder)).toSorted()).toEqual(['link', 'run.sh'])
})

test('[S13] write_file asks with the diff, bound to both contents', async () => {
  const { plan } = await toolsWith({ 'a.txt': 'one\ntwo\n' })
  expect(await plan('write_file', { path: 'a.txt', content: 'one\nthree\n' })).toMatchObject({
    target: 'a.txt',
    approval: {
      preview: { kind: 'diff', text: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n' },
      state: `${sha256('one\ntwo\n')}:${sha256('one\nthree\n')}`,
      forSession: {},
    },
  })
  expect(await plan('write_file', { path: 'new.txt', content: 'x' })).toMatchObject({
    approval: { state: `absent:${sha256('x')}`, preview: { text: expect.stringContaining('--- /dev/null') } },
  })
})

test('a plan changes nothing, and is the same when repeated', async () => {
  const { folder, plan } = await toolsWith({ 'a.txt': 'one' })
  const [first, second] = [
    await plan('write_file', { path: 'x/b.txt', content: 'b' }),
    await plan('write_file', { path: 'x/b.txt', content: 'b' }),
  ]
  expect(JSON.stringify(first)).toBe(JSON.stringify(second))
  expect(await readdir(folder)).toEqual(['a.txt'])
})

test('writing the same content needs no approval and changes nothing', async () => {
  const { folder, plan, call } = await toolsWith({ 'a.txt': 'same' })
  const before = await stat(join(folder, 'a.txt'))
  expect(await plan('write_file', { path: 'a.txt', content: 'same' })).not.toHaveProperty('approval')
  expect((await call('write_file', { path: 'a.txt', content: 'same' })).text).toContain('nothing was changed')
  expect((await stat(join(folder, 'a.txt'))).ino).toBe(before.ino)
})

test('write_file refuses a file that changed since it was read, until it is read again', async () => {
  const { folder, call } = await toolsWith({ 'a.txt': 'one' })
  await call('read_file', { path: 'a.txt' })
  await writeFile(join(folder, 'a.txt'), 'changed by a person')
  expect(await call('write_file', { path: 'a.txt', content: 'two' })).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining('Read it again'),
  })
  await call('read_file', { path: 'a.txt' })
  expect(await call('write_file', { path: 'a.txt', content: 'two' })).toMatchObject({ kind: 'ok' })
  expect(await call('write_file', { path: 'a.txt', content: 'three' })).toMatchObject({ kind: 'ok' })
})

test('[S13] attack: a late change is not overwritten', async () => {
  const { folder, plan } = await toolsWith({ 'a.txt': 'one' })
  const planned = await plan('write_file', { path: 'a.txt', content: 'two' })
  await writeFile(join(folder, 'a.txt'), 'changed by a person')
  if (planned.kind !== 'plan') throw new Error(planned.text)
  await expect(planned.carryOut(new AbortController().signal)).rejects.toThrow('changed by someone else')
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('changed by a person')
  expect(await readdir(folder)).toEqual(['a.txt'])
})

test('a cancelled write leaves nothing behind', async () => {
  const { folder, plan } = await toolsWith({ 'a.txt': 'one' })
  const planned = await plan('write_file', { path: 'a.txt', content: 'two' })
  if (planned.kind !== 'plan') throw new Error(planned.text)
  await expect(planned.carryOut(AbortSignal.abort())).rejects.toThrow('aborted')
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one')
  expect(await readdir(folder)).toEqual(['a.txt'])
})

test.each([
  ['a path that ends in a slash', 'new/'],
  ['a path through a file', 'a.txt/b.txt'],
  ['a folder', 'sub'],
  ['a name that is too long', 'x'.repeat(300)],
])('write_file explains why it cannot write to %s', async (_, path) => {
  const { call } = await toolsWith({ 'a.txt': 'one', 'sub/b.txt': 'b' })
  const said = await call('write_file', { path, content: 'x' })
  expect(said.kind).not.toBe('ok')
  expect(said.text).toMatch(/no such folder|as if it were a folder|is a folder|too long/)
})

test('[S13] an approval is for the shown version: after a change, the person is asked again', async () => {
  const { folder, tools } = await toolsWith({ 'a.txt': 'one' })
  const host: ToolsHost = {
    granted: ['write_file'],
    secrets: () => [],
    hash: sha256,
    encodeUtf8: (text) => Buffer.from(text),
    toMediaHandle: (bytes) => `media://sha256-${sha256(bytes)}`,
  }
  const door = createToolRegistry(tools, host)
  const call = { id: 'call_1' as CallId, name: 'write_file', input: { path: 'a.txt', content: 'two' } }
  const { signal } = new AbortController()
  const asked = await door.decide(call, { signal, grants: [] })
  if (asked.kind !== 'asks') throw new Error(asked.kind)
  const answer = { decision: 'allow', inputHash: asked.inputHash } as const
  await writeFile(join(folder, 'a.txt'), 'changed by a person')
  expect(await door.decide(call, { signal, grants: [], answer })).toMatchObject({ kind: 'asks' })
  await writeFile(join(folder, 'a.txt'), 'one')
  const verdict = await door.decide(call, { signal, grants: [], answer })
  if (verdict.kind !== 'allowed') throw new Error(verdict.kind)
  expect(await verdict.carryOut(signal)).toMatchObject({
    outcome: { kind: 'ok', text: 'Replaced a.txt, 3 bytes.' },
  })
})

const CALLS: readonly (readonly [string, (path: string) => Json])[] = [
  ['read_file', (path) => ({ path })],
  ['write_file', (path) => ({ path, content: 'overwritten' })],
  ['edit_file', (path) => ({ path, old_text: 'secret', new_text: 'overwritten' })],
  ['list_directory', (path) => ({ path })],
  ['search_files', (path) => ({ path, pattern: 'secret' })],
]

test.each(CALLS)('[S13] attack: %s never leaves the working folder', async (name, input) => {
  const folder = await freshFolder()
  await put(folder, { 'outside/file.txt': 'a secret outside', 'work/a.txt': 'x' })
  await symlink('../outside', join(folder, 'work', 'link'))
  await symlink('../outside/file.txt', join(folder, 'work', 'file-link'))
  const { call } = toolsIn({ workingDir: join(folder, 'work') })
  const ways = [
    '../outside/file.txt',
    '../outside',
    'link/file.txt',
    'link',
    'file-link',
    `${folder}/outside/file.txt`,
  ]
  for (const way of ways) {
    const said = await call(name, input(way))
    expect({ ...said, way }).toMatchObject({ kind: 'refused', code: 'tool_denied', way })
    expect(said.text).not.toContain('a secret')
  }
  expect(await readFile(join(folder, 'outside/file.txt'), 'utf8')).toBe('a secret outside')
})

test.each(CALLS)('[S13] attack: %s does not touch protected files', async (name, input) => {
  const folder = await freshFolder()
  await put(folder, { 'work/.env': 'secret', 'work/.git/config': 'secret', 'work/sub/.ssh/id_rsa': 'secret' })
  const { call } = toolsIn({ workingDir: join(folder, 'work') })
  for (const path of ['.env', '.git/config', '.git', 'sub/.ssh', 'sub/.ssh/id_rsa', '.GIT/config'])
    expect(await call(name, input(path))).toMatchObject({ kind: 'refused', code: 'tool_denied' })
  expect(await readFile(join(folder, 'work/.env'), 'utf8')).toBe('secret')
})

test.each(CALLS.slice(0, 3))(
  '[S13] attack: %s refuses a hard link to a file outside',
  async (name, input) => {
    const folder = await freshFolder()
    await put(folder, { 'outside.txt': 'a secret' })
    await link(join(folder, 'outside.txt'), join(folder, 'work', 'inside.txt'))
    const { call } = toolsIn({ workingDir: join(folder, 'work') })
    const said = await call(name, input('inside.txt'))
    expect(said).toMatchObject({ code: 'tool_denied' })
    expect(said.text).toContain('hard link')
    expect(await readFile(join(folder, 'outside.txt'), 'utf8')).toBe('a secret')
  },
)

test.each(CALLS)(
  "[S13] attack: %s does not reach Parley's own data in the tier full",
  async (name, input) => {
    const folder = await freshFolder()
    const home = join(folder, '.parley')
    await put(folder, {
      '.parley/history.key': 'a secret key',
      '.parley/postgres/password': 'a secret password',
      'work/a.txt': 'x',
    })
    await symlink('../.parley', join(folder, 'work', 'notes'))
    await link(join(home, 'history.key'), join(folder, 'work', 'inside.txt'))
    const { call } = toolsIn({ workingDir: join(folder, 'work'), tier: 'full', home })
    for (const path of [home, '../.parley/history.key', 'notes', 'notes/postgres/password', 'notes/new.txt'])
      expect(await call(name, input(path))).toMatchObject({ kind: 'refused', code: 'tool_denied' })
    for (const path of ['inside.txt', '.', '..', folder])
      expect((await call(name, input(path))).text).not.toContain('a secret')
    expect(await readFile(join(home, 'history.key'), 'utf8')).toBe('a secret key')
    expect(await readdir(home)).toEqual(['history.key', 'postgres'])
  },
)

test('[S13] in the tier full, a hard link to any other file can be read', async () => {
  const folder = await freshFolder()
  await put(folder, { 'outside.txt': 'an open book', '.parley/history.key': 'a secret key' })
  await link(join(folder, 'outside.txt'), join(folder, 'work', 'inside.txt'))
  const { call } = toolsIn({ workingDir: join(folder, 'work'), tier: 'full', home: join(folder, '.parley') })
  expect((await call('read_file', { path: 'inside.txt' })).text).toContain('an open book')
})

test('[S13] attack: a search leaves out hard links and says so', async () => {
  const folder = await freshFolder()
  await put(folder, { 'outside.txt': 'a secret' })
  await link(join(folder, 'outside.txt'), join(folder, 'work', 'inside.txt'))
  const said = await toolsIn({ workingDir: join(folder, 'work') }).call('search_files', { pattern: 'secret' })
  expect(said.text).toBe('[no matches]\n[left out: hard links or files replaced during the search]')
})

test.each(FsScopeTier.options)(
  '[S13] attack: pipes and sockets neither hang nor open, tier %s',
  async (tier) => {
    const folder = await freshFolder()
    const work = join(folder, 'work')
    execFileSync('mkfifo', [join(work, 'pipe')])
    const server = createServer().listen(join(work, 'socket'))
    onTestFinished(() => void server.close())
    const { call } = toolsIn({ workingDir: work, tier })
    for (const path of ['pipe', 'socket'])
      for (const [name, input] of CALLS.slice(0, 3))
        expect((await call(name, input(path))).text).toContain('a device, a pipe or a socket')
    expect((await call('search_files', { pattern: 'x' })).text).toBe('[no matches]')
    expect((await call('read_file', { path: '.' })).text).toContain('is a folder')
    expect((await call('write_file', { path: '.', content: 'x' })).text).toContain('is a folder')
  },
)

test('[S13] attack: a path cannot imitate another path in an approval', async () => {
  const folder = await freshFolder()
  const { plan } = toolsIn({ workingDir: join(folder, 'work') })
  expect(await plan('write_file', { path: 'a\u{202e}txt.exe\n', content: '' })).toMatchObject({
    target: String.raw`a\u{202e}txt.exe\u{a}`,
  })
})

// Elsewhere an empty temporary file may be left in the folder that the link leads to.
test.runIf(process.platform === 'linux')(
  '[S13] attack: a folder swapped for a link during reads and writes leads nowhere',
  async () => {
    const folder = await freshFolder()
    const work = join(folder, 'work')
    await put(folder, {
      'outside/file.txt': 'a secret',
      'outside/deep/file.txt': 'a secret',
      'outside/other.txt': 'a secret\n',
      'work/sub/file.txt': 'inside',
      'work/sub/deep/file.txt': 'inside',
      'work/sub/other.txt': '\n',
    })
    const untouched = await readdir(join(folder, 'outside'))
    const swapper = spawn(process.execPath, ['-e', SWAP, work], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise((resolve) => swapper.on('exit', resolve))
    onTestFinished(async () => {
      swapper.kill('SIGKILL')
      await ended
    })
    await new Promise((resolve) => swapper.stdout.once('data', resolve))

    const { call } = toolsIn({ workingDir: work })
    const outcomes = new Set<string>()
    // Runs until each kind of call has succeeded and has been refused.
    for (let round = 0; round < 40 || outcomes.size < 2 * GOT_THROUGH.length; round += 1) {
      const said = await Promise.all([
        call('read_file', { path: 'sub/deep/file.txt' }),
        toolsIn({ workingDir: work }).call('write_file', {
          path: 'sub/file.txt',
          content: `inside ${round}`,
        }),
        toolsIn({ workingDir: work }).call('write_file', { path: `sub/new/${round}.txt`, content: 'inside' }),
        toolsIn({ workingDir: work }).call('edit_file', {
          path: 'sub/other.txt',
          old_text: '\n',
          new_text: `\n${round}`,
        }),
        call('list_directory', { path: 'sub' }),
        call('search_files', { pattern: 'secret' }),
        call('search_files', { pattern: 'secret', path: 'sub' }),
      ])
      for (const { kind, text } of said) {
        expect(text).not.toContain('a secret')
        const through = GOT_THROUGH.find((start) => text.startsWith(start))
        if (kind === 'ok' && through) outcomes.add(through)
      }
      for (const [at, start] of GOT_THROUGH.entries())
        if (said[at]?.kind !== 'ok') outcomes.add(`not ${start}`)
    }
    expect(await readdir(join(folder, 'outside'))).toEqual(untouched)
    expect(await readFile(join(folder, 'outside/file.txt'), 'utf8')).toBe('a secret')
  },
)

const GOT_THROUGH = ['inside', 'Replaced', 'Created', 'Changed', 'folder']

/** Swaps the folder `sub` for a link to the folder outside and back, as fast as possible. */
const SWAP = `
  const { renameSync, rmSync, symlinkSync } = require('node:fs')
  process.chdir(process.argv[1])
  symlinkSync('../outside', 'link')
  process.stdout.write('ready')
  const put = (from, to) => {
    for (;;) {
      try {
        return renameSync(from, to)
      } catch {
        // A tool has made a folder of that name while there was none.
        rmSync(to, { recursive: true, force: true })
      }
    }
  }
  const hold = (milliseconds) => {
    const end = performance.now() + Math.random() * milliseconds
    while (performance.now() < end);
  }
  for (;;) {
    put('sub', 'away'); put('link', 'sub'); hold(2)
    put('sub', 'link'); put('away', 'sub'); hold(30)
  }
`

test('[S13] attack: a folder that becomes a link before the approval is not written to', async () => {
  const folder = await freshFolder()
  const work = join(folder, 'work')
  await put(folder, { 'outside/a.txt': 'untouched', 'work/sub/a.txt': 'old' })
  const { plan } = toolsIn({ workingDir: work })
  const planned = await plan('write_file', { path: 'sub/a.txt', content: 'new' })
  await rename(join(work, 'sub'), join(work, 'away'))
  await symlink('../outside', join(work, 'sub'))
  if (planned.kind !== 'plan') throw new Error(planned.text)
  await expect(planned.carryOut(new AbortController().signal)).rejects.toThrow(
    'was moved, removed or replaced',
  )
  expect(await readFile(join(folder, 'outside/a.txt'), 'utf8')).toBe('untouched')
  expect(await readdir(join(folder, 'outside'))).toEqual(['a.txt'])
})

test('[S13] attack: a new file does not overwrite one that appeared in between', async () => {
  const folder = await freshFolder()
  const work = join(folder, 'work')
  await put(folder, { 'outside.txt': 'untouched' })
  const { plan } = toolsIn({ workingDir: work })
  const planned = await plan('write_file', { path: 'new.txt', content: 'new' })
  await symlink('../outside.txt', join(work, 'new.txt'))
  if (planned.kind !== 'plan') throw new Error(planned.text)
  await expect(planned.carryOut(new AbortController().signal)).rejects.toThrow('changed by someone else')
  expect(await readFile(join(folder, 'outside.txt'), 'utf8')).toBe('untouched')
  await unlink(join(work, 'new.txt'))
  await mkdir(join(work, 'new.txt'))
  await expect(planned.carryOut(new AbortController().signal)).rejects.toThrow('changed by someone else')
  expect((await stat(join(work, 'new.txt'))).isDirectory()).toBe(true)
  expect(await readdir(work)).toEqual(['new.txt'])
})
