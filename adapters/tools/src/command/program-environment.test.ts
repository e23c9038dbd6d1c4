import { chmod, mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder, writeScript } from './command.fixture.ts'
import { findExecutable, listProgramFolders } from './program-environment.ts'

test("the person's folders come first, in order, then the usual ones", async () => {
  const [one, two, project] = [await freshFolder(), await freshFolder(), await freshFolder()]
  const folders = await listProgramFolders({ PATH: `${two}:${one}:${two}` }, project)
  expect(folders.slice(0, 2)).toEqual([two, one])
  expect(folders).toContain('/usr/bin')
})

test('[S13] attack: no folder of the project is searched, whatever its name', async () => {
  const [project, outside] = [await freshFolder(), await freshFolder()]
  const planted = join(project, 'bin')
  await mkdir(planted)
  await symlink(planted, join(outside, 'link'))
  const named = [planted, join(outside, 'link'), `${outside}/../${planted}`, '.', '', 'bin', './bin', project]
  const folders = await listProgramFolders({ PATH: named.join(':') }, project)
  expect(folders.filter((folder) => folder.startsWith(project))).toEqual([])
  expect(folders.every((folder) => folder.startsWith('/'))).toBe(true)
})

test('[S13] attack: a folder writable by everyone is not searched', async () => {
  const [open, project] = [await freshFolder(), await freshFolder()]
  await chmod(open, 0o1777)
  expect(await listProgramFolders({ PATH: open }, project)).not.toContain(open)
})

test('the folder of the running Node is included, unless it is in the project', async () => {
  const node = dirname(process.execPath)
  expect(await listProgramFolders({}, await freshFolder())).toContain(node)
  expect(await listProgramFolders({}, node)).not.toContain(node)
})

test('a program is an executable file, not a folder or a text', async () => {
  const [first, second, workingDir] = [await freshFolder(), await freshFolder(), await freshFolder()]
  await mkdir(join(first, 'tool'))
  const file = await writeScript(join(second, 'tool'), 'exit 0')
  const text = await writeScript(join(second, 'text'), 'exit 0')
  await chmod(text, 0o644)
  const where = { folders: [first, second], workingDir }
  expect(await findExecutable('tool', where)).toBe(file)
  expect(await findExecutable('text', where)).toBeUndefined()
  expect(await findExecutable('nowhere', where)).toBeUndefined()
  await writeScript(join(workingDir, 'tool'), 'exit 1')
  expect(await findExecutable('./tool', where)).toBe(join(workingDir, 'tool'))
  expect(await findExecutable(file, where)).toBe(file)
})
