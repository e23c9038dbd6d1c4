import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestHome } from '../testing/fresh-home.ts'
import { runOnOwnDisk, explainMissingDisk } from '../testing/own-disk.ts'

const refusal = explainMissingDisk()

test('[S16] a full disk is reported when the history is created, opened, written and rotated, and nothing is lost', async ({
  skip,
}) => {
  if (refusal !== undefined) skip(refusal)
  const disk = await createTestHome()
  const full = {
    code: 'history_disk_full',
    message: expect.stringContaining(join(disk, 'home', 'history.db')),
  }
  expect(await runOnOwnDisk(disk, 'full')).toEqual([
    { what: 'make', ...full },
    { what: 'write', ...full },
    { what: 'read', gave: 1 },
    { what: 'write with room again', gave: 1 },
    { what: 'verify', gave: true },
    { what: 'open', ...full },
    { what: 'rotate', ...full },
    { what: 'rotate with little room', ...full },
    { what: 'files left by the rotation', gave: [] },
    { what: 'rotate with room again', gave: 'key file' },
    { what: 'stored messages', gave: [1, 1] },
  ])
})

test('[S16] a read-only disk is reported, and nothing is lost', async ({ skip }) => {
  if (refusal !== undefined) skip(refusal)
  const disk = await createTestHome()
  const readOnly = (folder: string) => ({
    code: 'history_read_only',
    message: expect.stringContaining(join(disk, folder, 'history.db')),
  })
  expect(await runOnOwnDisk(disk, 'read-only')).toEqual([
    { what: 'open', ...readOnly('home') },
    { what: 'rotate', ...readOnly('home') },
    { what: 'describe', ...readOnly('home') },
    { what: 'make', ...readOnly('deep/home') },
    { what: 'stored messages', gave: 1 },
  ])
})
