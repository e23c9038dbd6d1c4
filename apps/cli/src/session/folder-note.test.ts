import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { testAgent } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { newFolder } from '../testing/parley-process.ts'
import { folderNote } from './folder-note.ts'

const of = (workingDir: string, tools = ['read_file']) => ({
  context: { workingDir, fsScopeTier: 'sandboxed' as const },
  agentSnapshot: { ...testAgent, tools },
})

test('[S4] in the folder of a session there is nothing to say, by whatever name one came there', async () => {
  await using at = await newFolder()
  await mkdir(join(at.home, 'tides'))
  await symlink('tides', join(at.home, 'link'))
  expect(await folderNote(of(join(at.home, 'tides')), join(at.home, 'tides'))).toBeUndefined()
  expect(await folderNote(of(join(at.home, 'tides')), join(at.home, 'link'))).toBeUndefined()
})

test('[S4] elsewhere it is said where the session works, and what to do where that is gone', async () => {
  await using at = await newFolder()
  const gone = join(at.home, 'gone')
  expect(await folderNote(of(at.home), '/')).toBe(
    `This session works in ${at.home}, which is not the folder that you are in.`,
  )
  expect(await folderNote(of(gone), at.home)).toMatch(
    /is gone: .*gone\. .*Make it again, or start a new session/,
  )
})

test('[S4] to an agent without tools a folder is nothing', async () => {
  expect(await folderNote(of('/gone', []), '/')).toBeUndefined()
})
