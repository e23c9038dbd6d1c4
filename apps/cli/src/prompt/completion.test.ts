import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../testing/parley-process.ts'
import { createComplete, listPaths } from './completion.ts'

async function folderWith(files: Readonly<Record<string, string>>) {
  const at = await newFolder()
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
  ['all that is of interest', '', ['my letter.txt', 'next.txt', 'notes.md', 'src/']],
  ['those that begin so', 'ne', ['next.txt']],
  ['hidden ones, asked for', '.', ['.gitignore', '.hidden']],
  ['what a folder holds', 'src/', ['src/main.ts']],
  ['nothing of a folder that is not there', 'none/x', []],
])('gives %s', async (_, beginning, expected) => {
  await using at = await folderWith(FILES)
  expect(await listPaths(at.home, beginning)).toEqual(expected)
})

test('a folder with very many files is read in part', async () => {
  await using at = await newFolder()
  await Promise.all(Array.from({ length: 300 }, (_, index) => writeFile(join(at.home, `f${index}`), '')))
  expect(await listPaths(at.home, 'f')).toHaveLength(200)
})

test.each([
  ['a command', '/he', ['/help '], [0, 3]],
  ['no command later in the line', 'so /he', undefined, undefined],
  ['a file', 'see @no', ['@notes.md '], [4, 7]],
  ['a folder, left open', '@s', ['@src/'], [0, 2]],
  ['a name with spaces, in quotes', 'see @my', ['@"my letter.txt" '], [4, 7]],
  ['a name begun in quotes', '@"my le', ['@"my letter.txt" '], [0, 7]],
  ['no address', 'me@no', undefined, undefined],
])('completes %s', async (_, text, expected, place) => {
  await using at = await folderWith(FILES)
  const complete = createComplete({ commands: [{ name: 'help', summary: 'help' }], folder: at.home })
  const completion = await complete(text, text.length)
  expect(completion?.candidates.map((candidate) => candidate.text)).toEqual(expected)
  expect(completion && [completion.from, completion.to]).toEqual(place)
})
