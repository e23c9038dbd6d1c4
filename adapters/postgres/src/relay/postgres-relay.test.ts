import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionEvent, SessionId, StepId } from '@parley/contracts'
import {
  type RelayInbound,
  type StreamedEvent,
  createRunEventBus,
  createSessions,
  noTools,
} from '@parley/engine'
import {
  type ModelScript,
  createAnswerScript,
  createScriptedModel,
  testAgent,
  createTestIds,
  testOwner,
} from '@parley/engine/testing'
import { toRoleUrl } from '../login/database-url.ts'
import { openDatabase } from '../open-database.ts'
import { runSql, waitUntil } from '../server/testing/test-cluster.ts'
import { type FreshDatabase, freshDatabase } from '../testing/index.ts'
import { type RelayMessage, createOutbox, fromRuns } from './postgres-relay.ts'
import { SESSION, createTokenEvent } from './testing/token.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
})
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
  await fresh.drop()
})

test('[S6] a reader in another process gets text before it is stored', async () => {
  const { runs, reads, id, heard, say, finish } = await startHeardSession()
  const turn = await runs.sessions.send(id, 'Talk')
  say('one ')
  await waitUntil(() => joinText(heard) === 'one ')
  say('two ')
  await waitUntil(() => joinText(heard) === 'one two ')
  const late = reads.listen(id)
  await waitUntil(() => joinText(late) === 'one two ')
  finish()
  expect(await turn.ended).toBe('completed')
  await waitUntil(() => isEnded(heard) && isEnded(late))
  expect(heard.map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2, 3, 4, 5])
})

test.each([1_000_000, 6_000_000])(
  '[S6] a text of %i letters arrives complete, live or from the store',
  async (length) => {
    const { runs, id, heard, say, finish } = await startHeardSession()
    await runs.sessions.send(id, 'Talk')
    const word = '🌍'.repeat(length / 2)
    say(word)
    if (length < 2_000_000) await waitUntil(() => joinText(heard) === word)
    finish()
    await waitUntil(() => isEnded(heard))
    expect(joinText(heard) === word).toBe(true)
  },
)

test('[S6] a process that joins during a turn gets the rest of it', async () => {
  const { script, say, finish } = createSteeredModel()
  const runs = await openProcess([script])
  const { id } = await runs.start()
  await runs.sessions.send(id, 'Talk')
  say('one ')
  const heard = (await openProcess()).listen(id)
  await waitUntil(() => joinText(heard) === 'one ')
  say('two ')
  await waitUntil(() => joinText(heard) === 'one two ')
  finish()
  await waitUntil(() => isEnded(heard))
  expect(heard.at(-1)?.sequenceNumber).toBe(5)
})

test('a process without peers sends nothing, also after its last peer left', async () => {
  const notices = await recordNotices()
  const alone = await openProcess([createAnswerScript('Good day.'), createAnswerScript('Again.')])
  await waitUntil(() => notices.length === 1)
  const { id } = await alone.start()
  const { events, leave } = alone.read(id)
  await alone.sessions.send(id, 'Hello')
  await waitUntil(() => isEnded(events))
  await leave()
  const other = await openProcess()
  await waitUntil(() => notices.length === 4)
  await other.close()
  await waitUntil(() => notices.length === 5)
  await (
    await alone.sessions.send(id, 'Hello')
  ).ended
  await runSql(fresh.databaseUrl, `select pg_notify('parley', 'the end')`)
  await waitUntil(() => notices.at(-1) === 'the end')
  expect(notices).toHaveLength(6)
})

test('[S6] a login without the secret learns neither text nor its session', async () => {
  const notices = await recordNotices()
  const { runs, id, heard, say, finish } = await startHeardSession()
  const { turnId } = await runs.sessions.send(id, 'Talk')
  say('canary-in-the-text ')
  await waitUntil(() => joinText(heard).includes('canary'))
  finish()
  await waitUntil(() => isEnded(heard))
  const all = notices.map(
    (notice) => notice + Buffer.from(notice.split(' ').at(-1) ?? '', 'base64').toString(),
  )
  expect(notices.length).toBeGreaterThan(2)
  expect(all.join('\n')).not.toMatch(/canary/)
  expect(all.join('\n')).not.toContain(id)
  expect(all.join('\n')).not.toContain(turnId)
})

test('[S6] foreign and replayed messages have no effect', async () => {
  const notices = await recordNotices()
  const [one, gone] = [await openRelayEnd(), await openRelayEnd()]
  await waitUntil(() => one.heard.length > 0 && gone.heard.length > 0)
  gone.relay.notifyText(SESSION, [createTokenEvent(8, 'of old')])
  await waitUntil(() => one.heard.includes('said of old'))
  await gone.close()
  const late = await openRelayEnd()
  await waitUntil(() => late.heard.length > 0)
  late.relay.notifyStored(SESSION, 1)
  await waitUntil(() => one.heard.includes('stored 1'))
  one.relay.notifyText(SESSION, [createTokenEvent(9, 'real')])
  await waitUntil(() => late.heard.includes('said real'))
  const before = [[...one.heard], [...late.heard]]

  const client = await connectStranger()
  const [prefix, sender, counter, sealed = ''] = notices.at(-1)?.split(' ') ?? []
  const tampered = `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`
  const forged = [
    ...notices,
    [prefix, sender, Number(counter) + 1_000, sealed].join(' '),
    [prefix, sender, Number(counter) + 1_000, tampered].join(' '),
    [prefix, 'nobody', 1, sealed].join(' '),
    [prefix, sender, 'x', ''].join(' '),
    JSON.stringify([{ kind: 'stored', sessionId: SESSION, upTo: 99 }]),
  ]
  for (const notice of forged) await client.query('select pg_notify($1, $2)', ['parley', notice])
  one.relay.notifyStored(SESSION, 10)
  late.relay.notifyStored(SESSION, 11)
  await waitUntil(() => late.heard.includes('stored 10') && one.heard.includes('stored 11'))
  expect([one.heard, late.heard]).toEqual([
    [...(before[0] ?? []), 'stored 11'],
    [...(before[1] ?? []), 'stored 10'],
  ])
})

test.each(['the one that runs it', 'the one that reads it', 'both'])(
  '[S6][X4] where the connection for notices breaks in the middle of a turn, for %s, readers end with everything',
  async (which) => {
    const { runs, id, heard, say, finish } = await startHeardSession()
    const turn = await runs.sessions.send(id, 'Talk')
    say('one ')
    await waitUntil(() => joinText(heard) === 'one ')
    const pids = await listPresences()
    expect(pids).toHaveLength(2)
    const doomed = { 'the one that runs it': [pids[0]], 'the one that reads it': [pids[1]] }[which] ?? pids
    await runSql(
      fresh.databaseUrl,
      `select pg_terminate_backend(pid) from unnest('{${doomed.join()}}'::int[]) pid`,
    )
    say('two ')
    await waitUntil(() => joinText(heard).endsWith('two '))
    finish()
    await turn.ended
    await waitUntil(() => isEnded(heard))
    expect(heard.at(-1)?.sequenceNumber).toBe(5)
  },
)

async function open() {
  const database = await openDatabase(fresh)
  let closed: Promise<void> | undefined
  const close = async () => {
    closed ??= database.close()
    await closed
  }
  closing.push(close)
  return { ...database, close }
}

/** A separate process, as the database sees it. */
async function openProcess(scripts: readonly ModelScript[] = []) {
  const { sessions: store, relay, close } = await open()
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus({ otherProcesses: { relay, store } }),
    clock: Date,
    ids: createTestIds(),
    getModel: createModel(scripts),
    getTools: () => noTools,
  })
  const start = () =>
    sessions.start({
      ownerId: testOwner,
      channel: 'text',
      agent: testAgent,
      context: { workingDir: '/', fsScopeTier: 'sandboxed' },
    })
  const read = (sessionId: SessionId) => {
    const events: SessionEvent[] = []
    const abort = new AbortController()
    const reading = (async () => {
      for await (const event of sessions.streamEvents({ sessionId, after: 0, signal: abort.signal }))
        events.push(event)
    })()
    const leave = () => {
      abort.abort()
      return reading
    }
    closing.push(leave)
    return { events, leave }
  }
  return { sessions, start, read, listen: (sessionId: SessionId) => read(sessionId).events, close }
}

/** A session of one process, and the events that a reader in another process received. */
async function startHeardSession() {
  const { script, say, finish } = createSteeredModel()
  const [runs, reads] = [await openProcess([script]), await openProcess()]
  const { id } = await runs.start()
  return { runs, reads, id, heard: reads.listen(id), say, finish }
}

function createModel(scripts: readonly ModelScript[]) {
  const model = createScriptedModel(scripts)
  return () => model
}

/** One end of the relay, without an event bus. */
async function openRelayEnd() {
  const { relay, close } = await open()
  const heard: string[] = []
  const inbound: RelayInbound = {
    onStored: (_, upTo) => heard.push(`stored ${upTo}`),
    onText: (_, events) => heard.push(`said ${joinText(events)}`),
    onTextRequested: () => heard.push('asked'),
    onMissed: () => heard.push('restarted'),
  }
  relay.connect(inbound)
  return { relay, heard, close }
}

/** A login without our secret. */
async function connectStranger(): Promise<Client> {
  const client = new Client(toRoleUrl(fresh.databaseUrl, 'parley_public'))
  await client.connect()
  closing.push(() => client.end())
  return client
}

async function recordNotices(): Promise<readonly string[]> {
  const client = await connectStranger()
  const notices: string[] = []
  client.on('notification', ({ payload = '' }) => notices.push(payload))
  await client.query('listen parley')
  return notices
}

/** The connections that carry notices, the oldest first. */
async function listPresences(): Promise<readonly unknown[]> {
  const rows = await runSql(
    fresh.databaseUrl,
    `select distinct pid, backend_start from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and datname = current_database() order by backend_start`,
  )
  return rows.map(({ pid }) => pid)
}

/** A model that answers one word on request. */
function createSteeredModel() {
  const words: (string | undefined)[] = []
  const script: ModelScript = async function* () {
    for (let said = 0; ; said += 1) {
      await waitUntil(() => said < words.length)
      const text = words[said]
      if (text === undefined) break
      yield { type: 'text', text }
    }
    yield { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } }
  }
  return { script, say: (text: string) => words.push(text), finish: () => words.push(undefined) }
}

/** The text that a reader shows: a merged event replaces the events that it spans. */
function joinText(events: readonly SessionEvent[]): string {
  let pieces: { readonly from: number; readonly text: string }[] = []
  for (const event of events) {
    if (event.type !== 'agent:token') continue
    const from = event.fromSequence ?? event.sequenceNumber
    pieces = [...pieces.filter((piece) => piece.from < from), { from, text: event.token }]
  }
  return pieces.map(({ text }) => text).join('')
}

const isEnded = (events: readonly SessionEvent[]) =>
  events.some(({ type }) => type === 'session:turn_completed')

const [ONE, TWO] = [SESSION, 'ses_2' as SessionId]

/** Messages in short form. */
const summarize = (messages: readonly RelayMessage[]) =>
  messages.map((message) => {
    if (message.kind === 'stored') return `${message.sessionId} up to ${message.upTo}`
    if (message.kind !== 'said') return message.kind
    const events = fromRuns(message.sessionId, message.runs)
    return `${message.sessionId} says ${events.map(({ sequenceNumber }) => sequenceNumber).join()}`
  })

test('messages of a session keep their order, and related ones are merged', () => {
  const outbox = createOutbox()
  outbox.addText(ONE, [createTokenEvent(3)])
  outbox.addStored(TWO, 7)
  outbox.addText(ONE, [createTokenEvent(4), createTokenEvent(5)])
  outbox.addStored(ONE, 6)
  outbox.addStored(ONE, 7)
  outbox.addText(ONE, [createTokenEvent(8)])
  outbox.addRequest(TWO)
  outbox.addRequest(TWO)
  outbox.put({ kind: 'hello' })
  expect(summarize(outbox.take())).toEqual([
    'hello',
    'ask',
    'ses_1 says 3,4,5',
    'ses_1 up to 7',
    'ses_1 says 8',
    'ses_2 up to 7',
  ])
  expect(outbox.isEmpty()).toBe(true)
})

test('an event arrives unchanged', () => {
  const outbox = createOutbox()
  const { token: _, ...common } = createTokenEvent(3) as Extract<StreamedEvent, { type: 'agent:token' }>
  const events: StreamedEvent[] = [
    { ...common, type: 'agent:reasoning', text: 'Hm', fromSequence: 2 },
    createTokenEvent(4, 'Yes'),
    {
      ...createTokenEvent(6, ' indeed'),
      fromSequence: 5,
      stepId: 'stp_2' as StepId,
      timestamp: '2026-03-04T05:06:08.000Z',
    },
  ]
  outbox.addText(ONE, events)
  const [said] = outbox.take()
  const wired = JSON.parse(JSON.stringify(said)) as RelayMessage
  expect(wired.kind === 'said' && fromRuns(wired.sessionId, wired.runs)).toEqual(events)
})

test('[S6] unsent text is dropped beyond a limit; stored events are always announced', () => {
  const outbox = createOutbox()
  for (let number = 1; number <= 100; number += 1)
    outbox.addText(ONE, [createTokenEvent(number, 'x'.repeat(100_000))])
  outbox.addStored(ONE, 101)
  const taken = outbox.take()
  const [said] = taken
  const length = said?.kind === 'said' ? JSON.stringify(said.runs).length : 0
  expect(length).toBeGreaterThan(3_000_000)
  expect(length).toBeLessThan(4_100_000)
  expect(summarize(taken).at(-1)).toBe('ses_1 up to 101')
  outbox.addText(ONE, [createTokenEvent(102)])
  expect(summarize(outbox.take())).toEqual(['ses_1 says 102'])
})

test('much text of many sessions is sent in several messages', () => {
  const outbox = createOutbox()
  for (let index = 0; index < 10; index += 1)
    outbox.addText(`ses_${index}` as SessionId, [createTokenEvent(1, 'x'.repeat(100_000))])
  expect(outbox.take()).toHaveLength(3)
  expect(outbox.isEmpty()).toBe(false)
})

test('beyond the limit of waiting sessions, all readers are asked to read the store', () => {
  const outbox = createOutbox()
  for (let index = 0; index <= 10_000; index += 1) outbox.addStored(`ses_${index}` as SessionId, 2)
  expect(summarize(outbox.take())).toEqual(['lost', 'ses_10000 up to 2'])
})
