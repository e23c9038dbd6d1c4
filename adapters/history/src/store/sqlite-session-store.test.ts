import { rm } from 'node:fs/promises'
import Database from 'better-sqlite3-multiple-ciphers'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { PersonId, SessionId, SessionMessage } from '@parley/contracts'
import type { AgentSessionRecord, Batch, Lease, SessionStore } from '@parley/engine'
import {
  createBatch,
  describeSessionStore,
  createStoredEvent,
  createMemorySessionStore,
  createTestSession,
} from '@parley/engine/testing'
import { type History, openHistory } from '../index.ts'
import { KEY, createTestHome, createHome, openRaw } from '../testing/fresh-home.ts'
import { startStoreProcess } from '../testing/store-process.ts'
import { createAnswer, createNewTurn, startSession } from '../testing/turns.ts'
import { addTextSearch } from './sqlite-session-store.ts'

const database = new Database(':memory:')
addTextSearch(database)

type Content = SessionMessage['content']
const toTextPart = (said: string): Content => [{ type: 'text', text: said }]
const toResultPart = (said: string): Content => [
  { type: 'tool_result', callId: 'call_1' as never, outcome: { kind: 'ok', text: said } },
]

test.each<[string, boolean, Content, string]>([
  ['any case', true, toTextPart('GRÜSSE aus Kyōto'), 'grüsse AUS kyŌto'],
  ['signs that JSON writes otherwise', true, toTextPart('a "b"\\c\n\u0001d'), '"B"\\C\n\u0001D'],
  ['a sigma at the end of a word', true, toTextPart('ο οδος'), 'ΟΔΟΣ'],
  ['a sigma behind a line break', true, toTextPart('\nΣ'), 'σ'],
  ['a sign of two units', true, toTextPart('🌍🌍'), '🌍'],
  ['what a model thought', true, [{ type: 'reasoning', text: 'Hm.' }], 'hm'],
  ['what a tool gave', true, toResultPart('three files'), 'Three'],
  ['the second part', true, [...toTextPart('one'), ...toTextPart('two')], 'TWO'],
  ['words over two parts', false, [...toTextPart('one'), ...toTextPart('two')], 'onetwo'],
  ['the names of the parts', false, toTextPart('x'), 'text'],
  ['an id', false, toResultPart('x'), 'call_1'],
  ['JSON around the text', false, toTextPart('x'), '"x"'],
  ['a wildcard', false, toTextPart('100'), '1%'],
])('search uses the text of messages: %s', (_, isFound, content, search) => {
  const held = database
    .prepare<[string, string], { found: number }>('select content_holds(?, ?) as found')
    .get(JSON.stringify(content), search)
  expect(held).toEqual({ found: isFound ? 1 : 0 })
})

test('titles are searched case-insensitively, and a session without a title matches nothing', () => {
  const held = database.prepare('select text_holds(?, ?) as a, text_holds(null, ?) as b')
  expect(held.get('Über uns', 'ÜBER', 'über')).toEqual({ a: 1, b: 0 })
})

const AT = '2026-03-04T05:06:07.000Z'

const shared = createHome()
const opened: History[] = []

const openShared = async () => {
  const history = await openHistory({ home: await shared, key: KEY })
  opened.push(history)
  return history.store
}

afterAll(async () => {
  for (const { close } of opened) close()
  await rm(await shared, { recursive: true })
})

describeSessionStore('encrypted history', async () => ({
  store: await openShared(),
  other: await openShared(),
  doomed: async () => startStoreProcess(await shared, KEY),
}))

/** Any JavaScript string, also with lone surrogates and U+0000. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0xd800, 0xdfff, 0x27, 0x22)))
  .map((units) => String.fromCharCode(...units))

test('[S10] any text is read back unchanged', async () => {
  const store = await openShared()
  await fc.assert(
    fc.asyncProperty(anyText, anyText, async (said, answered) => {
      const context = { workingDir: '/', fsScopeTier: 'sandboxed' as const, variables: { said } }
      const id = await startSession(store, { context })
      const lease = await store.beginTurn(createNewTurn(id, said))
      const message = createAnswer(id, 2, answered)
      const told = createStoredEvent(3, {
        body: { type: 'agent:tool_call', call: { name: said, input: { answered } } },
      })
      await store.append(lease, createBatch({ messages: [message], events: [told], lease: 'ended' }))
      expect(await store.readTail(id, 2)).toMatchObject([{ content: [{ text: said }] }, message])
      expect(await store.readEvents(id, { after: 2, limit: 1 })).toEqual([told])
      expect((await store.find(id))?.session.context).toEqual(context)
    }),
    { numRuns: 100 },
  )
})

/** The lease after each kind of batch. */
const BATCHES = {
  append: 'kept',
  'late append': 'kept',
  'end turn': 'ended',
  'late end of turn': 'ended',
  wait: 'waiting',
} as const satisfies Record<string, Batch['lease']>

const step = fc.record({
  kind: fc.constantFrom(
    'begin',
    'go on',
    'take up',
    'rename',
    'end',
    'append',
    ...(Object.keys(BATCHES) as (keyof typeof BATCHES)[]),
  ),
  session: fc.nat({ max: 1 }),
  messages: fc.nat({ max: 2 }),
  events: fc.nat({ max: 3 }),
})
type Step = typeof step extends fc.Arbitrary<infer Given> ? Given : never

test('[S2] the SQLite store behaves as the memory store does', async () => {
  const encrypted = await openShared()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const memory = createMemorySessionStore()
      const sessions: SessionId[] = []
      for (const at of ['2026-03-04T05:06:07.000Z', '2026-03-04T05:06:08.000Z']) {
        const [session, started] = createTestSession(await startSession(encrypted, { createdAt: at }), AT, {
          createdAt: at,
        })
        await memory.create(session, started)
        sessions.push(session.id)
      }
      const leases = new Map<SessionId, Lease[]>(sessions.map((id) => [id, []]))
      for (const given of steps) {
        const id = sessions[given.session] ?? ('' as SessionId)
        const known = leases.get(id) ?? []
        const write = toWrite(given, known, await memory.find(id))
        const outcomes = await Promise.allSettled([write(memory), write(encrypted)])
        const [expected, actual] = outcomes.map(told)
        expect(actual).toEqual(expected)
        if (expected?.value) known.push(expected.value)
      }
      for (const id of sessions) {
        const all = { after: 0, limit: 1_000 }
        expect(await encrypted.find(id)).toEqual(await memory.find(id))
        expect(await encrypted.readMessages(id, all)).toEqual(await memory.readMessages(id, all))
        expect(await encrypted.readEvents(id, all)).toEqual(await memory.readEvents(id, all))
      }
    }),
    { numRuns: 100 },
  )
})

type Write = (store: SessionStore) => Promise<Lease | undefined | void>

/** The calls of a step, the same for every store. */
function toWrite(
  { kind, messages, events }: Step,
  known: readonly Lease[],
  kept?: AgentSessionRecord,
): Write {
  if (!kept) throw new Error('The session is not there.')
  const { session, lastSequence, openTurn } = kept
  const { id: sessionId, messageCount } = session
  const turn = createNewTurn(sessionId)
  const lease = known.at(kind.startsWith('late') ? 0 : -1)
  const isPutDown = openTurn?.state === 'waiting' && lease?.epoch === known.at(-1)?.epoch
  if (kind === 'rename') return (store) => store.rename(sessionId, `renamed at ${lastSequence}`)
  if (kind === 'end') return (store) => store.end(sessionId, AT)
  if (kind === 'go on')
    return (store) =>
      store.beginTurn({ ...turn, question: { kind: 'stored', sequenceNumber: 1, messageCount: messages } })
  if (kind === 'begin' || !lease) return (store) => store.beginTurn(turn)
  if (kind === 'take up' || isPutDown) {
    const { turnId } = lease
    return (store) => store.takeOver({ sessionId, turnId, state: 'waiting', reserve: 20 })
  }
  const given = createBatch({
    messages: Array.from({ length: messages }, (_, index) =>
      createAnswer(sessionId, messageCount + index + 1),
    ),
    events: Array.from({ length: events }, (_, index) => createStoredEvent(lastSequence + index * 2 + 1)),
    reservedUpTo: lastSequence + 50,
    lease: BATCHES[kind],
  })
  return (store) => store.append(lease, given)
}

const told = (
  outcome: PromiseSettledResult<Lease | undefined | void>,
): { code?: string; value?: Lease | undefined | void } =>
  outcome.status === 'rejected' ? { code: outcome.reason.code } : { value: outcome.value }

test.each([
  ['edited', "update session_messages set content = '[]'"],
  ['edited by an upsert', `${insert('')} on conflict do update set content = '[]'`],
  ['removed', 'delete from session_messages'],
  [
    'removed with another session',
    "insert into session_removals values ('ses_2'); delete from session_messages",
  ],
  ['replaced', insert('or replace')],
  ['moved', 'update or replace session_messages set sequence_number = sequence_number + 1'],
])('[S10] a message cannot be %s, even by direct SQL', async (_, sql) => {
  const home = await createTestHome()
  const { store, path, close } = await openHistory({ home, key: KEY })
  const id = 'ses_1' as SessionId
  await store.create(...createTestSession(id, AT))
  await store.beginTurn(createNewTurn(id, 'first'))
  const raw = openRaw(path)
  expect(() => raw.exec(sql)).toThrow('append-only')
  raw.close()
  expect(await store.readTail(id, 10)).toMatchObject([{ sequenceNumber: 1, content: [{ text: 'first' }] }])
  close()
})

function insert(how: string) {
  return `insert ${how} into session_messages (session_id, sequence_number, id, role, content, timestamp)
    values ('ses_1', 1, 'msg_x', 'user', '[]', '')`
}

test.each([
  ['one owner of many sessions', 'per_often' as PersonId, 9_990],
  ['one of few', 'per_seldom' as PersonId, 10],
  ['all owners', undefined, 10_000],
])('a list of 10,000 sessions is read page by page: %s', async (_, ownerId, count) => {
  const { store, path, close } = await openHistory({ home: await createTestHome(), key: KEY })
  await startSession(store, { ownerId: 'per_other' as PersonId })
  const raw = openRaw(path)
  raw.exec(MANY_SESSIONS)
  raw.close()
  const seen: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const asked = process.cpuUsage()
    const page = await store.list({ limit: 100, ...(ownerId && { ownerId }), ...(cursor && { cursor }) })
    // CPU time, independent of the load of the machine.
    expect(process.cpuUsage(asked).user).toBeLessThan(500_000)
    seen.push(...page.items.map(({ session }) => `${session.updatedAt} ${session.id}`))
    cursor = page.nextCursor
  }
  expect(seen).toEqual(seen.toSorted().toReversed())
  expect(new Set(seen).size).toBe(count)
  close()
})

/** Many of them were last used in the same second. */
const MANY_SESSIONS = `
  create temp table the_one as select * from agent_sessions join session_settings on session_id = id;
  delete from session_events; delete from session_settings; delete from agent_sessions;
  create temp table numbers as
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000) select n from numbers;
  insert into agent_sessions (id, owner_id, channel, status, agent_slug, created_at, updated_at, message_count,
      event_last, event_reserved)
    select 'ses_' || n, iif(n % 1000 = 0, 'per_seldom', 'per_often'), channel, status, agent_slug, created_at,
      format('2026-03-04T05:06:%02d.000Z', n % 60), 0, 1, 1 from the_one, numbers;
  insert into session_settings select 'ses_' || n, agent_snapshot, context from the_one, numbers;
`

test.each(['', 'nonsense', Buffer.from('a b c').toString('base64url')])(
  'a cursor of another make (%j) is refused',
  async (cursor) => {
    const store = await openShared()
    await expect(store.list({ limit: 1, cursor })).rejects.toMatchObject({ code: 'validation' })
  },
)
