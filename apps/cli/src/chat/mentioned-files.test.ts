import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome } from '../testing/parley-process.ts'
import { readMentionedFiles, listMentionNotices } from './attachments.ts'

async function folder() {
  const at = await createHome()
  await writeFile(join(at.home, 'notes.md'), 'Note.\n')
  await writeFile(join(at.home, 'my letter.txt'), 'Dear.')
  await writeFile(join(at.home, 'image.png'), new Uint8Array([0x89, 0xff, 0x00]))
  await mkdir(join(at.home, 'src'))
  return at
}

test.each([
  ['a path', 'See @HOME/notes.md please', ['notes.md'], []],
  ['a path at the end of a sentence', 'Have you read @HOME/notes.md?', ['notes.md'], []],
  ['a path in quotes', 'See @"HOME/my letter.txt".', ['my letter.txt'], []],
  [
    'several, each once',
    '@HOME/notes.md @"HOME/notes.md" @"HOME/my letter.txt"',
    ['notes.md', 'my letter.txt'],
    [],
  ],
  ['a name that is not a file', 'Ask @anna, please', [], ['anna']],
  ['an email address', 'Write to me@HOME/notes.md or a@b.c', [], []],
  ['an @ alone', 'Look @ this', [], []],
])('%s', async (_, text, files, unknown) => {
  await using at = await folder()
  const found = await readMentionedFiles(text.replaceAll('HOME', at.home))
  expect(found.files.map(({ path }) => path.slice(at.home.length + 1))).toEqual(files)
  expect(found.unknown).toEqual(unknown)
})

test.each([
  ['a missing file in quotes', '@"HOME/none.md"', /There is no file .*none\.md/],
  ['a folder', '@HOME/src', /is a folder/],
  ['a binary file', '@HOME/image.png', /is not UTF-8 text/],
])('%s is an error, and nothing is sent', async (_, text, expected) => {
  await using at = await folder()
  await expect(readMentionedFiles(text.replaceAll('HOME', at.home))).rejects.toMatchObject({
    code: 'validation',
    message: expect.stringMatching(expected),
  })
})

test('notices about mentions never control the terminal', () => {
  expect(listMentionNotices({ files: [{ path: 'a\x1b[2J', text: '' }], unknown: ['b\x07'] })).toEqual([
    'with a␛[2J',
    '@b␇ is not a file here; sent as text',
  ])
})
