import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createToolRegistry, type ToolsHost } from '@parley/engine'
import { CallId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { freshFolder, hashOf, put, toolsIn } from './testing/file-fixture.ts'

async function work(files: Readonly<Record<string, string>> = {}) {
  const folder = join(await freshFolder(), 'work')
  await put(folder, files)
  return { folder, ...toolsIn({ workingDir: folder }) }
}

test('[S12] write_file makes a file and the folders on the way to it', async () => {
  const { folder, call } = await work()
  expect(await call('write_file', { path: 'x/y/a.txt', content: 'grüße\n' })).toEqual({
    kind: 'ok',
    text: 'Made x/y/a.txt, 8 bytes.',
  })
  expect(await readFile(join(folder, 'x/y/a.txt'), 'utf8')).toBe('grüße\n')
  expect((await stat(join(folder, 'x/y/a.txt'))).mode & 0o777).toBe(0o644 & ~process.umask())
  expect(await readdir(join(folder, 'x/y'))).toEqual(['a.txt'])
})

test('[S12] write_file replaces a file, and keeps its mode and the links to it', async () => {
  const { folder, call } = await work({ 'run.sh': 'old' })
  await chmod(join(folder, 'run.sh'), 0o750)
  await symlink('run.sh', join(folder, 'link'))
  expect((await call('write_file', { path: 'link', content: 'new' })).text).toBe('Replaced run.sh, 3 bytes.')
  expect(await readFile(join(folder, 'link'), 'utf8')).toBe('new')
  expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o750)
  expect((await readdir(folder)).toSorted()).toEqual(['link', 'run.sh'])
})

test('[S13] write_file asks with the diff, bound to both contents', async () => {
  const { plan } = await work({ 'a.txt': 'one\ntwo\n' })
  expect(await plan('write_file', { path: 'a.txt', content: 'one\nthree\n' })).toMatchObject({
    target: 'a.txt',
    question: {
      preview: { kind: 'diff', text: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n' },
      state: `${hashOf('one\ntwo\n')}:${hashOf('one\nthree\n')}`,
      forSession: {},
    },
  })
  expect(await plan('write_file', { path: 'new.txt', content: 'x' })).toMatchObject({
    question: { state: `absent:${hashOf('x')}`, preview: { text: expect.stringContaining('--- /dev/null') } },
  })
})

test('a plan changes nothing, and is the same when it is made again', async () => {
  const { folder, plan } = await work({ 'a.txt': 'one' })
  const [first, second] = [
    await plan('write_file', { path: 'x/b.txt', content: 'b' }),
    await plan('write_file', { path: 'x/b.txt', content: 'b' }),
  ]
  expect(JSON.stringify(first)).toBe(JSON.stringify(second))
  expect(await readdir(folder)).toEqual(['a.txt'])
})

test('to write what a file holds already needs no question and changes nothing', async () => {
  const { folder, plan, call } = await work({ 'a.txt': 'same' })
  const before = await stat(join(folder, 'a.txt'))
  expect(await plan('write_file', { path: 'a.txt', content: 'same' })).not.toHaveProperty('question')
  expect((await call('write_file', { path: 'a.txt', content: 'same' })).text).toContain('nothing was changed')
  expect((await stat(join(folder, 'a.txt'))).ino).toBe(before.ino)
})

test('write_file refuses what was changed since it was read, until it is read again', async () => {
  const { folder, call } = await work({ 'a.txt': 'one' })
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

test('[S13] attack: what changes after the last look is not overwritten', async () => {
  const { folder, plan } = await work({ 'a.txt': 'one' })
  const planned = await plan('write_file', { path: 'a.txt', content: 'two' })
  await writeFile(join(folder, 'a.txt'), 'changed by a person')
  if (planned.kind !== 'plan') throw new Error(planned.text)
  await expect(planned.carryOut(new AbortController().signal)).rejects.toThrow('changed meanwhile')
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('changed by a person')
  expect(await readdir(folder)).toEqual(['a.txt'])
})

test('a write that is cancelled leaves nothing behind', async () => {
  const { folder, plan } = await work({ 'a.txt': 'one' })
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
])('write_file says why it cannot write to %s', async (_, path) => {
  const { call } = await work({ 'a.txt': 'one', 'sub/b.txt': 'b' })
  const said = await call('write_file', { path, content: 'x' })
  expect(said.kind).not.toBe('ok')
  expect(said.text).toMatch(/no such folder|as if it were a folder|is a folder|too long/)
})

test('[S13] an answer counts for the file that was shown: once it has changed, the person is asked again', async () => {
  const { folder, tools } = await work({ 'a.txt': 'one' })
  const host: ToolsHost = {
    granted: ['write_file'],
    secrets: () => [],
    hash: hashOf,
    bytesOf: (text) => Buffer.from(text),
    handleOf: (bytes) => `media://sha256-${hashOf(bytes)}`,
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
