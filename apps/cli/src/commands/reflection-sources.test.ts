import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_SOURCE_BYTES } from '@parley/contracts'
import { checkFiles, withInterrupt } from './reflection-sources.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-files-'))
  await mkdir(join(folder, 'letters'))
  for (const name of ['letter.md', 'largest.txt', 'larger.txt', 'locked.txt']) {
    await writeFile(join(folder, name), 'Dear Ada')
  }
  await writeFile(join(folder, 'empty.txt'), '')
  await truncate(join(folder, 'largest.txt'), MAX_SOURCE_BYTES)
  await truncate(join(folder, 'larger.txt'), MAX_SOURCE_BYTES + 1)
  await chmod(join(folder, 'locked.txt'), 0)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(['letter.md', 'largest.txt'])('%s can be imported', async (name) => {
  await expect(checkFiles([join(folder, name)])).resolves.toBeUndefined()
})

test.each<[string, string, RegExp]>([
  ['letters', 'validation', /letters is a folder/],
  ['letters/', 'validation', /is a folder/],
  ['empty.txt', 'validation', /empty\.txt is empty/],
  ['nowhere.txt', 'validation', /There is no file .*nowhere\.txt/],
  ['larger.txt', 'payload_too_large', /has 50\.1 MB; a source can have at most 50 MB/],
])('%s is refused, with a hint', async (name, code, message) => {
  await expect(checkFiles([join(folder, name)])).rejects.toMatchObject({
    code,
    detail: { message: expect.stringMatching(message), fix: expect.stringMatching(/\w/) },
  })
})

test('a path that is not a file is refused before it is read', async () => {
  await expect(checkFiles(['/dev/zero'])).rejects.toMatchObject({
    detail: { message: '/dev/zero is not a file.' },
  })
})

test.skipIf(process.getuid?.() === 0)('an unreadable file is refused', async () => {
  await expect(checkFiles([join(folder, 'locked.txt')])).rejects.toMatchObject({
    detail: { message: expect.stringContaining('cannot be read (EACCES)') },
  })
})

test('all invalid files are named at once', async () => {
  const files = ['nowhere.txt', 'letter.md', 'empty.txt'].map((name) => join(folder, name))
  await expect(checkFiles(files)).rejects.toMatchObject({
    detail: {
      message: '2 of 3 files cannot be imported. Nothing was sent.',
      fix: expect.stringMatching(/^There is no file .*nowhere\.txt\.\n.*empty\.txt is empty\.$/),
    },
  })
})

test('Ctrl-C aborts the work, and its listener is removed afterwards', async () => {
  const before = process.listenerCount('SIGINT')
  const isAborted = await withInterrupt(async (signal) => {
    process.emit('SIGINT', 'SIGINT')
    return signal.aborted
  })
  expect(isAborted).toBe(true)
  await expect(withInterrupt(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(process.listenerCount('SIGINT')).toBe(before)
})
