import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionId } from '@parley/contracts'
import { createTestSession } from '@parley/engine/testing'
import { openHistory } from '@parley/history'
import { expect, test } from 'vitest'
import { KEY, createHome, parley } from '../testing/parley-process.ts'

const PAGE = 4_096

async function historyCheck(home: string) {
  const { code, stdout } = await parley(['doctor', '--json'], { home })
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; state: string; found: string; fix?: string }[]
  }
  return { code, ...checks.find(({ name }) => name === 'History') }
}

async function flipBit(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  await writeFile(path, bytes)
}

/** A history whose last words are in its log alone, as a killed program leaves it. */
async function killedHistory(home: string): Promise<string> {
  await using live = await createHome()
  const { store, close } = await openHistory({ home: live.home, key: KEY })
  for (const id of ['ses_1', 'ses_2', 'ses_3']) {
    await store.create(...createTestSession(id as SessionId, '2026-03-04T05:06:07.000Z'))
  }
  await cp(live.home, home, { recursive: true })
  close()
  return join(home, 'history.db-wal')
}

test('[S16] every page of the history is read', async () => {
  await using at = await createHome()
  await parley(['chat', '--message', 'Hello'], at)
  const path = join(at.home, 'history.db')
  const pages = (await stat(path)).size / PAGE
  expect(await historyCheck(at.home)).toMatchObject({
    code: 0,
    state: 'ok',
    found: expect.stringContaining(`${pages} pages`),
  })
  await flipBit(path, (pages - 1) * PAGE + 100)
  const { code, state, found } = await historyCheck(at.home)
  expect({ code, state }).toEqual({ code: 1, state: 'problem' })
  expect(found).toContain(`page ${pages} fails its integrity check`)
})

test('[S16] a damaged log is a problem', async () => {
  await using at = await createHome()
  const log = await killedHistory(at.home)
  const { size } = await stat(log)
  await flipBit(log, size - 10)
  expect(await historyCheck(at.home)).toMatchObject({
    code: 1,
    state: 'problem',
    found: expect.stringContaining(log),
  })
})

test('[S16] a truncated log is a warning', async () => {
  await using at = await createHome()
  const log = await killedHistory(at.home)
  await rm(join(at.home, 'history.db-shm'))
  await flipBit(log, (await stat(log)).size - 10)
  expect(await historyCheck(at.home)).toMatchObject({
    code: 0,
    state: 'warning',
    fix: expect.stringContaining(log),
  })
})
