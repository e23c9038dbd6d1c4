import { expect, test } from 'vitest'
import { type MessageId, type SessionId, type SessionMessage, SessionView } from '@parley/contracts'
import { type SessionStore, reconstructSessionState } from '@parley/engine'
import { createMemorySessionStore, createTestSession } from '@parley/engine/testing'
import { openHistory } from '@parley/history'
import { KEY, createHome, parley } from '../testing/parley-process.ts'
import { readTurns } from './sessions.ts'

/** A history with so many sessions, a minute apart. */
async function createSessionsIn(
  home: string,
  count: number,
  title: (index: number) => string,
): Promise<void> {
  const { store, close } = await openHistory({ home, key: KEY })
  for (let index = 0; index < count; index += 1) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString()
    const id = `ses_${String(index).padStart(4, '0')}x` as SessionId
    await store.create(...createTestSession(id, at, { title: title(index) }))
  }
  close()
}

test('an empty history shows how to start a session', async () => {
  await using at = await createHome()
  expect((await parley(['sessions'], at)).stdout).toBe(
    'There are no sessions yet. Start one with: parley chat\n',
  )
  expect(JSON.parse((await parley(['sessions', '--json'], at)).stdout)).toEqual({ items: [], more: false })
})

test('the latest 20 are listed, with a hint for the rest', async () => {
  await using at = await createHome()
  await createSessionsIn(at.home, 21, (index) => `Talk ${index}`)
  const lines = (await parley(['sessions'], at)).stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(22)
  expect(lines[1]).toMatch(/Talk 20$/)
  expect(lines[20]).toMatch(/Talk 1$/)
  expect(lines[21]).toBe('There are more: parley sessions --limit 100')
})

test('the limit applies across pages, and the JSON equals that of the API', async () => {
  await using at = await createHome()
  await createSessionsIn(at.home, 210, (index) => `Talk ${index}`)
  const { items, more } = JSON.parse((await parley(['sessions', '--limit', '205', '--json'], at)).stdout)
  expect(more).toBe(true)
  expect(items).toHaveLength(205)
  expect(new Set(items.map(({ id }: SessionView) => id)).size).toBe(205)
  expect(SessionView.parse(items[0])).toMatchObject({ title: 'Talk 209', model: 'scripted' })
  const all = await parley(['sessions', '--limit', '210'], at)
  expect(all.stdout).not.toContain('There are more')
})

test('any title keeps the columns aligned', async () => {
  await using at = await createHome()
  const titles = ['x'.repeat(200), '漢字'.repeat(50), 'two\nlines\x1b[2J']
  await createSessionsIn(at.home, 3, (index) => titles[index] ?? '')
  const { stdout } = await parley(['sessions'], at)
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[1]).toMatch(/two lines␛\[2J$/)
  expect(lines[3]).toMatch(/x…$/)
  expect(lines[3]).toHaveLength(80)
})

test('an ambiguous id is bad input, and the matches are named', async () => {
  await using at = await createHome()
  await createSessionsIn(at.home, 2, (index) => `Talk ${index}`)
  const { code, stderr } = await parley(['sessions', 'show', '000'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('The ids of 2 sessions start with "000"')
  expect(stderr).toContain('  0001x  Talk 1\n  0000x  Talk 0\n')
})

test('[S1] a session whose model is not available cannot be resumed', async () => {
  await using at = await createHome()
  await createSessionsIn(at.home, 1, () => 'Talk')
  const { code, stderr } = await parley(['resume', '--message', 'Hello'], at)
  expect(code).toBe(2)
  expect(stderr).toContain('The model test/scripted is not available. There is no provider named test')
})

const AT = '2026-11-15T14:03:00.000Z'
const ID = 'ses_1' as SessionId

/** Questions with answers of one, two or three messages, so that turns lie across the borders of pages. */
function readMessagesOf(turns: number): readonly SessionMessage[] {
  const roles = Array.from({ length: turns }, (_, turn): readonly SessionMessage['role'][] => [
    'user',
    ...(['assistant', 'tool', 'assistant'] as const).slice(0, 1 + (turn % 3)),
  ]).flat()
  return roles.map((role, index) => ({
    id: `msg_${index}` as MessageId,
    sessionId: ID,
    sequenceNumber: index + 1,
    role,
    content: [{ type: 'text', text: `Message ${index}` }],
    timestamp: AT,
  }))
}

async function read(messages: readonly SessionMessage[]) {
  const store = createMemorySessionStore()
  await store.create(...createTestSession(ID, AT, { messageCount: messages.length }), messages)
  let held = 0
  let most = 0
  const counting: Pick<SessionStore, 'readMessages'> = {
    async readMessages(...range) {
      const page = await store.readMessages(...range)
      held += page.length
      most = Math.max(most, held)
      return page
    },
  }
  const turns = []
  for await (const turn of readTurns(counting, ID)) {
    held -= turn.messages.length
    turns.push(turn)
  }
  return { turns, most }
}

test.each([0, 1, 2, 1_000, 4_000])(
  '%i turns are read whole and in order, a page at a time',
  async (count) => {
    const messages = readMessagesOf(count)
    const { turns, most } = await read(messages)
    expect(turns).toEqual(reconstructSessionState(messages))
    expect(turns).toHaveLength(count)
    expect(most).toBeLessThanOrEqual(510)
  },
)
