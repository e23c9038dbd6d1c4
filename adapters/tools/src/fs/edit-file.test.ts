import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editText } from './file-tools.ts'
import { sha256 } from './read-bytes.ts'
import { freshFolder, put, toolsIn } from './testing/file-fixture.ts'

async function work(content: string | Uint8Array) {
  const folder = join(await freshFolder(), 'work')
  await put(folder, { 'a.txt': content })
  return { file: join(folder, 'a.txt'), ...toolsIn({ workingDir: folder }) }
}

const edit = (old_text: string, new_text: string) => ({ path: 'a.txt', old_text, new_text })
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

test.each<[string, string | Uint8Array, string | Uint8Array]>([
  ['line endings', 'one\r\ntwo\r\n', 'one\r\n2\r\n3\r\n'],
  ['a byte order mark', '\u{feff}one\ntwo\n', '\u{feff}one\n2\n3\n'],
  ['UTF-16', utf16('one\r\ntwo\r\n'), utf16('one\r\n2\r\n3\r\n')],
])('[S12] edit_file keeps %s', async (_, before, after) => {
  const { file, call } = await work(before)
  await chmod(file, 0o640)
  expect(await call('edit_file', edit('one\ntwo', 'one\n2\n3'))).toEqual({
    kind: 'ok',
    text: 'Changed a.txt in one place.',
  })
  expect(await readFile(file)).toEqual(Buffer.from(after))
  expect((await stat(file)).mode & 0o777).toBe(0o640)
})

test('[S13] edit_file asks with the diff, bound to both contents', async () => {
  const { plan } = await work('one\ntwo\n')
  expect(await plan('edit_file', edit('two', 'three'))).toMatchObject({
    target: 'a.txt',
    approval: {
      preview: { kind: 'diff', text: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n' },
      state: `${sha256('one\ntwo\n')}:${sha256('one\nthree\n')}`,
    },
  })
})

test.each<[string, string | Uint8Array, string, string]>([
  ['missing text', 'one', 'two', 'old_text was not found'],
  ['text that occurs twice', 'one one', 'one', 'occurs 2 times'],
  ['a binary', Buffer.from([1, 0, 2]), 'one', 'not all text'],
  ['text whose bytes would be lost', Buffer.from('one, grüßend', 'latin1'), 'one', 'not all text'],
])('edit_file refuses %s and leaves the file unchanged', async (_, content, old, reason) => {
  const { file, call } = await work(content)
  expect(await call('edit_file', edit(old, 'x'))).toMatchObject({
    kind: 'refused',
    code: 'tool_failed',
    text: expect.stringContaining(reason),
  })
  expect(await readFile(file)).toEqual(Buffer.from(content))
})

test('edit_file refuses a file that changed since it was read', async () => {
  const { file, call } = await work('one')
  await call('read_file', { path: 'a.txt' })
  await writeFile(file, 'one, and more')
  expect((await call('edit_file', edit('one', 'two'))).text).toContain('Read it again')
})

test('edit_file refuses a missing file', async () => {
  const { call } = await work('one')
  expect(await call('edit_file', { ...edit('one', 'two'), path: 'b/c.txt' })).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining('does not exist'),
  })
})

test.each([
  ['once', 'a b', 'b', 'c', 'a c'],
  ['with special replacement patterns', 'a b', 'b', "$& $1 $' $$", "a $& $1 $' $$"],
  ['lines in a file of CRLF, given with LF', 'a\r\nb\r\n', 'a\nb', 'a\nc\nd', 'a\r\nc\r\nd\r\n'],
  ['lines in a file of LF', 'a\nb\n', 'b', 'c\nd', 'a\nc\nd\n'],
  ['by nothing', 'a b', ' b', '', 'a'],
])('replaces text %s', (_, text, old_text, new_text, expected) => {
  expect(editText(text, { old_text, new_text })).toEqual({ kind: 'edited', text: expected, places: 1 })
})

test.each([
  ['nothing alike', 'a', 'z', 'copy the text exactly'],
  ['mixed line endings', 'a\r\nb\nc', 'a\nb', 'line endings'],
  ['other spaces', 'if (a)  {\n\tb', 'if (a) {\n  b', 'spaces, tabs or line breaks'],
  ['another case', 'Hello', 'hello', 'upper and lower case'],
  ['several places', 'a a a', 'a', 'occurs 3 times'],
  ['no change', 'a', 'a', 'are the same'],
])('explains a failed edit: %s', (_, text, old_text, reason) => {
  const new_text = reason === 'are the same' ? old_text : 'new'
  expect(editText(text, { old_text, new_text })).toMatchObject({
    kind: 'not-edited',
    reason: expect.stringContaining(reason),
  })
})

test('limits the size of the result', () => {
  const grown = { old_text: 'a', new_text: 'b'.repeat(2_000_000), replace_all: true }
  expect(editText('a'.repeat(1_000), grown)).toMatchObject({ kind: 'not-edited' })
})

test('an edit changes one place and nothing else', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$', '\\') })
  fc.assert(
    fc.property(text, text, text, (before, after, new_text) => {
      const edited = editText(`${before}<here>${after}`, { old_text: '<here>', new_text })
      expect(edited).toEqual({ kind: 'edited', text: `${before}${new_text}${after}`, places: 1 })
    }),
  )
})

test('replace_all changes every place', () => {
  const words = fc.array(fc.constantFrom('old', 'other', ' '), { minLength: 1 })
  fc.assert(
    fc.property(words, (all) => {
      const edited = editText(all.join('|'), { old_text: 'old', new_text: 'new', replace_all: true })
      const places = all.filter((word) => word === 'old').length
      const text = all.map((word) => (word === 'old' ? 'new' : word)).join('|')
      expect(edited).toMatchObject(places === 0 ? { kind: 'not-edited' } : { kind: 'edited', text, places })
    }),
  )
})
