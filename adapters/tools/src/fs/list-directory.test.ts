import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder, put, toolsIn } from './testing/file-fixture.ts'

async function work(files: Readonly<Record<string, string>>) {
  const folder = join(await freshFolder(), 'work')
  await put(folder, files)
  return { folder, ...toolsIn({ workingDir: folder }) }
}

test('[S12] list_directory lists kind and size, folders first, and marks protected and ignored entries', async () => {
  const { folder, call } = await work({
    'b.txt': 'four',
    'a/inside.txt': '',
    '.env': 'KEY=made-up',
    '.git/HEAD': 'ref',
    '.gitignore': 'dist/\n*.log\n',
    'dist/out.js': '',
    'x.log': '',
  })
  await symlink('b.txt', join(folder, 'link'))
  expect((await call('list_directory', {})).text.split('\n')).toEqual([
    'folder .git/  (protected)',
    'folder a/',
    'folder dist/  (ignored by git)',
    'file   .env  (protected)',
    'file   .gitignore  12 bytes',
    'file   b.txt  4 bytes',
    'link   link -> b.txt',
    'file   x.log  0 bytes  (ignored by git)',
  ])
})

test('[S12] with depth it lists subfolders, except protected or ignored ones and links', async () => {
  const { folder, call } = await work({
    'src/deep/a.ts': 'a',
    'src/b.ts': 'b',
    '.git/HEAD': 'ref',
    '.gitignore': 'dist/\n',
    'dist/out.js': '',
    'src/.gitignore': '!dist\n/deep\n',
  })
  await symlink('src', join(folder, 'link'))
  expect((await call('list_directory', { depth: 3 })).text.split('\n')).toEqual([
    'folder .git/  (protected)',
    'folder dist/  (ignored by git)',
    'folder src/',
    'folder src/deep/  (ignored by git)',
    'file   src/.gitignore  12 bytes',
    'file   src/b.ts  1 bytes',
    'file   .gitignore  6 bytes',
    'link   link -> src',
  ])
  expect((await call('list_directory', { path: 'src/deep', depth: 3 })).text).toBe('file   a.ts  1 bytes')
})

test('a long list is bounded and says so', async () => {
  const files = Object.fromEntries(Array.from({ length: 2_100 }, (_, at) => [`${at}.txt`, '']))
  const { call } = await work(files)
  const lines = (await call('list_directory', {})).text.split('\n')
  expect(lines).toHaveLength(2_001)
  expect(lines.at(-1)).toContain('at least 100 more are left out')
})

test('list_directory explains why it cannot list', async () => {
  const { call } = await work({ 'a.txt': '', 'empty/.keep': '' })
  expect((await call('list_directory', { path: 'a.txt' })).text).toContain('is not a folder')
  expect((await call('list_directory', { path: 'none' })).text).toContain('does not exist')
})

test('[S13] attack: names cannot imitate lines of the list', async () => {
  const { call } = await work({ 'a\nfile   b.txt': '' })
  expect((await call('list_directory', {})).text).toBe(String.raw`file   a\u{a}file   b.txt  0 bytes`)
})
