import { open, rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isStillAt } from './open-folder.ts'
import { freshFolder } from './testing/file-fixture.ts'

test.each<[string, boolean, (path: string) => Promise<void>]>([
  ['nothing happens', true, async () => undefined],
  ['it is written to', true, (path) => writeFile(path, 'more')],
  ['it is moved', false, (path) => rename(path, `${path}-away`)],
  ['it is removed', false, (path) => unlink(path)],
  [
    'another takes its place',
    false,
    async (path) => {
      await writeFile(`${path}-other`, 'other')
      await rename(`${path}-other`, path)
    },
  ],
  [
    'a link takes its place',
    false,
    async (path) => {
      await rename(path, `${path}-away`)
      await symlink(`${path}-away`, path)
    },
  ],
])('[S13] an opened file is still at its path if %s: %s', async (_, expected, happens) => {
  const path = join(await freshFolder(), 'file')
  await writeFile(path, 'x')
  const handle = await open(path)
  onTestFinished(() => handle.close())
  await happens(path)
  expect(await isStillAt(handle, path)).toBe(expected)
})
