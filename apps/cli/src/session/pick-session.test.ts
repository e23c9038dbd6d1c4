import { PassThrough } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import type { SessionId } from '@parley/contracts'
import { createMemorySessionStore, createTestSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { createStyle } from '../render/display.ts'
import { measureText } from '../render/text.ts'
import { screenAfter } from '../testing/terminal.ts'
import { pickSession } from './pick-session.ts'

const TITLES = ['Letters to Oslo', 'A \x1b[2Jtrip to Rome', '漢字'.repeat(30), 'Oslo in May']

async function picking(titles: readonly string[], columns = 60) {
  const store = createMemorySessionStore()
  for (const [index, title] of titles.entries()) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString()
    await store.create(...createTestSession(`ses_${index}` as SessionId, at, { title, messageCount: index }))
  }
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined })
  const output = Object.assign(new PassThrough(), { columns, rows: 12 })
  const picked = pickSession(
    store,
    { input: input as unknown as ReadStream, output: output as unknown as WriteStream },
    createStyle(false),
  )
  let written = ''
  const screen = async () => {
    for (let round = 0; round < 5; round += 1) await new Promise(setImmediate)
    written += String(output.read() ?? '')
    return screenAfter(written).lines
  }
  await screen()
  return { picked, screen, type: (keys: string) => input.write(keys) }
}

test('the latest is first, and enter chooses it', async () => {
  const { picked, screen, type } = await picking(TITLES)
  const lines = await screen()
  expect(lines[1]).toMatch(/^› 2026-.* 3 {2}Oslo in May$/)
  expect(lines[3]).toMatch(/A ␛\[2Jtrip to Rome$/)
  expect(lines.at(-1)).toBe('1 of 4; type to search, arrows, Enter, Esc')
  type('\r')
  expect((await picked)?.session.id).toBe('ses_3')
  expect((await screen()).join('')).toBe('')
})

test('arrows move, and typed text filters the list', async () => {
  const { picked, screen, type } = await picking(TITLES)
  type('oslo\x1b[B')
  const lines = await screen()
  expect(lines[0]).toBe('Which session? oslo')
  expect(lines).toHaveLength(4)
  expect(lines[2]).toMatch(/^› .*Letters to Oslo$/)
  type('\r')
  expect((await picked)?.session.id).toBe('ses_0')
})

test('without a match the list says so, and enter does nothing', async () => {
  const { picked, screen, type } = await picking(TITLES)
  type('paris\r')
  expect((await screen())[1]).toContain('no matching session')
  type('\x15rome\r')
  expect((await picked)?.session.id).toBe('ses_1')
})

test.each([
  ['ctrl-c', '\x03'],
  ['ctrl-d', '\x04'],
])('%s chooses none', async (_, keys) => {
  const { picked, type } = await picking(TITLES)
  type(keys)
  await expect(picked).rejects.toMatchObject({ code: 'cancelled' })
})

test('rows fit a narrow screen', async () => {
  const { picked, screen, type } = await picking(TITLES, 30)
  for (const line of await screen()) expect(measureText(line)).toBeLessThan(30)
  type('\r')
  await picked
})

test('a single session is chosen without asking, and an empty list returns nothing', async () => {
  expect((await (await picking(['One'])).picked)?.session.id).toBe('ses_0')
  expect(await (await picking([])).picked).toBeUndefined()
})
