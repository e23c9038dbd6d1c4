import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder } from '../testing/parley-process.ts'
import { createComplete, listPaths } from './completion.ts'

async function createFolderWith(files: Readonly<Record<string, string>>) {
  const at = await createFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(at.home, path, '..'), { recursive: true })
    await writeFile(join(at.home, path), text)
  }
  return at
}

const FILES = {
  'notes.md': '',
  'next.txt': '',
  'my letter.txt': '',
  'src/main.ts': '',
  'src/own.log': '',
  '.hidden': '',
  'node_modules/x.js': '',
  'out/a.js': '',
  'app.log': '',
  '.gitignore': '*.log\n/out/\n# n\n!notes.md\n',
}

test.each([
  ['all visible files', '', ['my letter.txt', 'next.txt', 'notes.md', 'src/']],
  ['files that start with the text', 'ne', ['next.txt']],
  ['hidden files on request', '.', ['.gitignore', '.hidden']],
  ['the files of a folder', 'src/', ['src/main.ts']],
  ['nothing for a missing folder', 'none/x', []],
])('lists %s', async (_, beginning, expected) => {
  await using at = await createFolderWith(FILES)
  expect(await listPaths(at.home, beginning)).toEqual(expected)
})

test('a folder with very many files is read in part', async () => {
  await using at = await createFolder()
  await Promise.all(Array.from({ length: 300 }, (_, index) => writeFile(join(at.home, `f${index}`), '')))
  expect(await listPaths(at.home, 'f')).toHaveLength(200)
})

test.each([
  ['a command', '/he', ['/help '], [0, 3]],
  ['no command within a line', 'so /he', undefined, undefined],
  ['a file', 'see @no', ['@notes.md '], [4, 7]],
  ['a folder, left open', '@s', ['@src/'], [0, 2]],
  ['a name with spaces, in quotes', 'see @my', ['@"my letter.txt" '], [4, 7]],
  ['a started name in quotes', '@"my le', ['@"my letter.txt" '], [0, 7]],
  ['no email address', 'me@no', undefined, undefined],
])('completes %s', async (_, text, expected, place) => {
  await using at = await createFolderWith(FILES)
  const complete = createComplete({ commands: [{ name: 'help', summary: 'help' }], folder: at.home })
  const completion = await complete(text, text.length)
  expect(completion?.candidates.map((candidate) => candidate.text)).toEqual(expected)
  expect(completion && [completion.from, completion.to]).toEqual(place)
})
