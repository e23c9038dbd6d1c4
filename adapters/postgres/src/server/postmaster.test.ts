import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPostmasterFile, findRunningPostmaster, setAsideStalePidFile } from './postmaster.ts'
import { createFolder } from './testing/test-cluster.ts'

const DEAD = 2 ** 22 + 1
const FULL = (pid: number, status: string) =>
  `${pid}\n/data\n1700000000\n5433\n\n127.0.0.1\n  123  456\n${status}\n`

test.each([
  ['ready', FULL(7, 'ready   '), { pid: 7, port: 5433, status: 'ready' }],
  ['shutting down', FULL(7, 'stopping'), { pid: 7, port: 5433, status: 'stopping' }],
  ['starting', FULL(7, 'starting'), { pid: 7, port: 5433, status: 'starting' }],
  ['just begun', '7\n/data\n', { pid: 7, port: Number.NaN, status: 'starting' }],
  ['empty', '', undefined],
])('reads a server that is %s', async (_, content, expected) => {
  expect(await readPostmasterFile(await createFolderWith(content))).toEqual(expected)
})

test('another program with that process id is not our server', async () => {
  expect(await findRunningPostmaster(await createFolderWith(FULL(process.pid, 'ready')))).toBeUndefined()
})

test.each([
  ['of a process that is another program now', FULL(process.pid, 'ready'), 0, 'goes'],
  ['of a dead process, which Postgres clears away itself', FULL(DEAD, 'ready'), 0, 'stays'],
  ['that a starting server has not filled yet', '', 0, 'stays'],
  ['that a crash left empty', '', 60, 'goes'],
])('a file %s', async (_, content, ageInSeconds, expected) => {
  const data = await createFolderWith(content)
  const then = Date.now() / 1000 - ageInSeconds
  await utimes(join(data, 'postmaster.pid'), then, then)
  await setAsideStalePidFile({ data })
  expect(await readdir(data)).toEqual(expected === 'stays' ? ['postmaster.pid'] : [])
})

async function createFolderWith(content: string): Promise<string> {
  const data = await createFolder()
  await writeFile(join(data, 'postmaster.pid'), content)
  return data
}
