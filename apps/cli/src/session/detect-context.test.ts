import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { detectContext } from './detect-context.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-context-'))
  await mkdir(join(folder, 'deep/er'), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

const COMMIT = '0123456789abcdef0123456789abcdef01234567'

test.each([
  ['a branch', 'ref: refs/heads/feature/x\n', 'feature/x'],
  ['a detached head', `${COMMIT}\n`, COMMIT],
  ['a head that is broken', 'what', undefined],
])('[S9] %s is found from a folder further in', async (_, head, expected) => {
  await mkdir(join(folder, '.git'))
  await writeFile(join(folder, '.git/HEAD'), head)
  const workingDir = join(folder, 'deep/er')
  const context = await detectContext(workingDir)
  expect(context).toEqual({
    workingDir,
    fsScopeTier: 'sandboxed',
    ...(expected !== undefined && { gitRef: expected }),
  })
})

test('[S9] a worktree has its own branch', async () => {
  await mkdir(join(folder, 'main/.git/worktrees/deep'), { recursive: true })
  await writeFile(join(folder, 'main/.git/worktrees/deep/HEAD'), 'ref: refs/heads/side\n')
  await writeFile(join(folder, 'deep/.git'), 'gitdir: ../main/.git/worktrees/deep\n')
  expect(await detectContext(join(folder, 'deep'))).toMatchObject({ gitRef: 'side' })
})
