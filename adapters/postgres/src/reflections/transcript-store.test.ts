import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { MessageId, ReflectionId, SessionId, TurnId } from '@parley/contracts'
import type { Batch, Lease } from '@parley/engine'
import { createTestSession } from '@parley/engine/testing'
import type { ReflectionSession } from '@parley/reflections'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { ADA, useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { createTakenCall } from './testing/taken-call.ts'

const base = await useKnowledgeBase()
let reflectionId: ReflectionId
beforeAll(async () => {
  reflectionId = (await base.database.reflections.create({ displayName: 'Ada Winter', ownerId: ADA })).id
})

const transcripts = () => base.database.transcripts
const TAKING = fileURLToPath(new URL('./testing/taking-process.ts', import.meta.url))

async function openSpokenSession(ingestion: ReflectionSession['ingestion'] = 'ingest'): Promise<SessionId> {
  const sessionId = `ses_${randomBytes(8).toString('hex')}` as SessionId
  const at = new Date().toISOString()
  await base.database.sessions.create(...createTestSession(sessionId, at, { ownerId: ADA, channel: 'voice' }))
  const { sessionRows } = base.database
  await sessionRows.open({
    sessionId,
    reflectionId,
    personId: ADA,
    channel: 'voice',
    mode: 'reflection',
    sessionAudience: 'private',
    surface: 'standard',
    role: 'owner',
    ingestion,
    namespaces: ['general'],
    status: 'starting',
  })
  await sessionRows.activateSpoken(sessionId, {
    providerConversationId: `conv_of_${sessionId}`,
    agentId: 'agent_one',
  })
  return sessionId
}

const readMessages = (sessionId: SessionId) =>
  base.database.sessions.readMessages(sessionId, { after: 0, limit: 100 })

const readEvents = async (sessionId: SessionId, after = 0) => {
  const events = await base.database.sessions.readEvents(sessionId, { after, limit: 100 })
  return events.map(({ sequenceNumber, body }) => `${sequenceNumber} ${body.type}`)
}

const toOpening = (sessionId: SessionId) => ({
  sessionId,
  turnId: `trn_of_${sessionId}` as TurnId,
  question: {
    kind: 'new' as const,
    message: {
      id: `msg_of_${sessionId}` as MessageId,
      content: [{ type: 'text' as const, text: 'Hi' }],
      timestamp: new Date().toISOString(),
    },
    title: 'Hi',
  },
  event: { body: { type: 'session:turn_started' as const }, timestamp: new Date().toISOString() },
  reserve: 0,
})

const toEnding = ({ reservedUpTo }: Lease): Batch => ({
  messages: [],
  events: [],
  reservedUpTo,
  lease: 'ended',
})

const listSources = async (sessionId: SessionId) => {
  const { items } = await base.database.reflections.listSources(reflectionId, { limit: 100 })
  return items.filter(({ title }) => title === `Call ${sessionId}`)
}

test('[V16] a call is stored once, with its source', async () => {
  const sessionId = await openSpokenSession()
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () => transcripts().take(createTakenCall(sessionId))),
  )
  expect(outcomes.toSorted()).toEqual(['taken', ...Array(4).fill('taken-before')])
  expect(await readMessages(sessionId)).toMatchObject([
    { sequenceNumber: 1, role: 'user' },
    { sequenceNumber: 2, role: 'assistant' },
  ])
  expect(await listSources(sessionId)).toMatchObject([{ namespace: 'conversations' }])
  expect(await readEvents(sessionId)).toEqual([
    '1 session:started',
    '2 session:turn_started',
    '3 agent:token',
    '4 session:turn_completed',
  ])
  expect(await base.database.sessions.find(sessionId)).toMatchObject({ lastSequence: 4 })
})

test('[S6] messages typed after a call continue its numbers, and the events of both are read in order', async () => {
  const sessionId = await openSpokenSession()
  await transcripts().take(createTakenCall(sessionId))
  const lease = await base.database.sessions.beginTurn(toOpening(sessionId))
  expect(lease.eventSequence).toBe(5)
  await base.database.sessions.append(lease, toEnding(lease))
  await base.database.sessionRows.activateSpoken(sessionId, {
    providerConversationId: `conv_again_${sessionId}`,
    agentId: 'agent_one',
  })
  await transcripts().take({
    ...createTakenCall(sessionId),
    providerConversationId: `conv_again_${sessionId}`,
  })
  expect(await readEvents(sessionId, 2)).toEqual([
    '3 agent:token',
    '4 session:turn_completed',
    '5 session:turn_started',
    '6 session:turn_started',
    '7 agent:token',
    '8 session:turn_completed',
  ])
})

test('[S6] times never go back even if a call reports whole seconds', async () => {
  const sessionId = await openSpokenSession()
  const call = createTakenCall(sessionId)
  const messages = call.messages.map((message) => ({ ...message, timestamp: '2020-01-01T12:00:00.000Z' }))
  await transcripts().take({ ...call, messages })
  const events = await base.database.sessions.readEvents(sessionId, { after: 0, limit: 100 })
  const times = events.map(({ timestamp }) => timestamp)
  expect(times).toEqual(Array(4).fill(times[0]))
})

test('[V16] of two calls of one session the second follows the first, and the first is not stored again', async () => {
  const sessionId = await openSpokenSession()
  await transcripts().take(createTakenCall(sessionId))
  await base.database.sessionRows.activateSpoken(sessionId, {
    providerConversationId: 'conv_second',
    agentId: 'agent_one',
  })
  expect(await transcripts().take(createTakenCall(sessionId))).toBe('taken-before')
  await transcripts().take({ ...createTakenCall(sessionId), providerConversationId: 'conv_second' })
  expect((await readMessages(sessionId)).map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2, 3, 4])
})

test('[V9] [V16] a lost call that was replaced is awaited too, and stored once', async () => {
  const sessionId = await openSpokenSession()
  const lost = createTakenCall(sessionId)
  await base.database.sessionRows.activateSpoken(sessionId, {
    providerConversationId: `conv_again_${sessionId}`,
    agentId: 'agent_one',
  })
  const later = new Date(Date.now() + 60_000).toISOString()
  const { providerConversationId } = lost
  expect(await transcripts().findEarlier(providerConversationId)).toMatchObject({ sessionId })
  expect(await transcripts().listEarlierWithoutTranscript(later, 100)).toMatchObject([
    { sessionId, providerConversationId },
  ])
  const outcomes = await Promise.all([transcripts().take(lost), transcripts().take(lost)])
  expect(outcomes.toSorted()).toEqual(['taken', 'taken-before'])
  expect(await base.database.sessionRows.find(sessionId)).toMatchObject({
    status: 'active',
    transcript: 'pending',
  })
  expect(await readMessages(sessionId)).toHaveLength(2)
  expect(await transcripts().listEarlierWithoutTranscript(later, 100)).toEqual([])
})

test('[V16] only a call that was bound long ago is given up', async () => {
  const sessionId = await openSpokenSession()
  const call = createTakenCall(sessionId)
  const giveUp = (ms: number) =>
    transcripts().giveUp(call, { boundBefore: new Date(Date.now() + ms).toISOString(), failure: 'lost' })
  await giveUp(-60_000)
  expect(await base.database.sessionRows.find(sessionId)).toMatchObject({ transcript: 'pending' })
  await giveUp(60_000)
  expect(await base.database.sessionRows.find(sessionId)).toMatchObject({
    transcript: 'none',
    status: 'ended',
    failure: 'lost',
  })
})

/** A session with three calls, each replacing the one before, and their transcripts. */
async function openThreeCalls() {
  const sessionId = await openSpokenSession()
  const calls = [1, 2, 3].map((hour) => {
    const timestamp = `2026-01-01T0${hour}:00:00.000Z`
    const content = [{ type: 'text' as const, text: `call ${hour}` }]
    return {
      ...createTakenCall(sessionId),
      providerConversationId: hour === 1 ? `conv_of_${sessionId}` : `conv_${hour}_${sessionId}`,
      startedAt: timestamp,
      messages: [{ role: 'user' as const, content, timestamp }],
    }
  })
  for (const { providerConversationId } of calls.slice(1))
    await base.database.sessionRows.activateSpoken(sessionId, {
      providerConversationId,
      agentId: 'agent_one',
    })
  const said = async () => (await readMessages(sessionId)).flatMap(({ content }) => content)
  return { sessionId, calls, said }
}
const IN_ORDER = [1, 2, 3].map((hour) => ({ type: 'text', text: `call ${hour}` }))

test('[V16] calls of one session are stored in the order of their start, however often and in whatever order they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
      fc.array(fc.nat(2), { maxLength: 3 }),
      fc.boolean(),
      async (order, duplicates, isAtOnce) => {
        const { sessionId, calls, said: readContents } = await openThreeCalls()
        const arriving = [...duplicates, ...order].flatMap((index) => calls[index] ?? [])
        if (isAtOnce) await Promise.all(arriving.map((call) => transcripts().take(call)))
        else for (const call of arriving) await transcripts().take(call)
        expect(await readContents()).toEqual(IN_ORDER)
        expect(await listSources(sessionId)).toHaveLength(3)
        for (const call of calls) expect(await transcripts().take(call)).toBe('taken-before')
        expect(await readContents()).toEqual(IN_ORDER)
        expect(await base.database.sessionRows.find(sessionId)).toMatchObject({ transcript: 'stored' })
      },
    ),
    { numRuns: 20 },
  )
})

test('[V16] a call waits until an earlier one arrives or is given up, and a given-up call is still stored', async () => {
  const { sessionId, calls, said } = await openThreeCalls()
  const [first, second, third] = calls
  if (!first || !second || !third) throw new Error('There are three calls')
  expect(await transcripts().take(third)).toBe('held')
  expect(await transcripts().take(third)).toBe('held')
  expect(await said()).toEqual([])
  expect(await base.database.sessionRows.find(sessionId)).toMatchObject({ transcript: 'pending' })
  const now = new Date(Date.now() + 1_000).toISOString()
  const awaited = (await transcripts().listEarlierWithoutTranscript('2000-01-01T00:00:00.000Z', 100)).filter(
    (call) => call.sessionId === sessionId,
  )
  expect(awaited).toMatchObject([{ isAwaited: true }, { isAwaited: true }])
  await transcripts().giveUp(first, { boundBefore: now })
  expect(await said()).toEqual([])
  expect(await transcripts().take(second)).toBe('taken')
  expect(await said()).toEqual(IN_ORDER.slice(1))
  expect(await transcripts().take(first)).toBe('taken')
  expect(await said()).toHaveLength(3)
})

test('[V16] a waiting call is removed with its session', async () => {
  const { sessionId, calls } = await openThreeCalls()
  for (const call of calls.slice(1)) expect(await transcripts().take(call)).toBe('held')
  await base.database.sessions.remove(sessionId)
  expect(await runSql(base.databaseUrl, `select from held_calls where session_id = '${sessionId}'`)).toEqual(
    [],
  )
})

test('[V16] a call that was reported as failed is stored when its transcript arrives', async () => {
  const sessionId = await openSpokenSession()
  const call = createTakenCall(sessionId)
  const boundBefore = new Date(Date.now() + 1_000).toISOString()
  await transcripts().giveUp(call, { boundBefore, failure: 'call_failed' })
  expect(await transcripts().take(call)).toBe('taken')
  expect(await transcripts().take(call)).toBe('taken-before')
  expect(await readMessages(sessionId)).toHaveLength(2)
  const session = await base.database.sessionRows.find(sessionId)
  expect(session).toMatchObject({ status: 'ended', transcript: 'stored' })
  expect(session?.failure).toBeUndefined()
})

test('[V16] while a turn is open no call is stored, and none is lost', async () => {
  const sessionId = await openSpokenSession()
  const lease = await base.database.sessions.beginTurn(toOpening(sessionId))
  await expect(transcripts().take(createTakenCall(sessionId))).rejects.toMatchObject({ code: 'session_busy' })
  expect(await listSources(sessionId)).toEqual([])
  await base.database.sessions.append(lease, toEnding(lease))
  expect(await transcripts().take(createTakenCall(sessionId))).toBe('taken')
  expect(await readMessages(sessionId)).toHaveLength(3)
})

test('[V5] nothing is stored for a removed session', async () => {
  const sessionId = await openSpokenSession()
  await base.database.sessions.remove(sessionId)
  expect(await transcripts().take(createTakenCall(sessionId))).toBe('gone')
  expect(await listSources(sessionId)).toEqual([])
})

test('[V5] an off-record session ends, and nothing of it is stored', async () => {
  const sessionId = await openSpokenSession('off-record')
  expect(await transcripts().take(createTakenCall(sessionId))).toBe('taken')
  expect(await readMessages(sessionId)).toEqual([])
  expect(await listSources(sessionId)).toEqual([])
  expect(await base.database.sessionRows.find(sessionId)).toMatchObject({ status: 'ended' })
})

test('[V16] a session is closed once, and its source added once', async () => {
  const sessionId = await openSpokenSession()
  const { source } = createTakenCall(sessionId)
  const outcomes = await Promise.all(
    Array.from({ length: 4 }, () => base.database.sessionRows.end(sessionId, source)),
  )
  expect(outcomes.filter(Boolean)).toHaveLength(1)
  expect(await listSources(sessionId)).toHaveLength(1)
})

test('[V16] open sessions are found once they ended, or once they are silent and their call is stored', async () => {
  const [waiting, ended, silent] = await Promise.all([
    openSpokenSession(),
    openSpokenSession(),
    openSpokenSession(),
  ])
  for (const sessionId of [ended, silent]) await transcripts().take(createTakenCall(sessionId))
  await base.database.sessions.end(ended, new Date().toISOString())
  const aMomentAgo = new Date(Date.now() - 60_000).toISOString()
  const later = new Date(Date.now() + 60_000).toISOString()
  expect(await transcripts().listAbandoned(aMomentAgo, 100)).toEqual([ended])
  const found = await transcripts().listAbandoned(later, 100)
  expect(found).toContain(silent)
  expect(found).not.toContain(waiting)
})

test('[V16] one process at a time works on transcripts', async () => {
  const outcomes: string[] = []
  await transcripts().runExclusively(async () => {
    outcomes.push(await transcripts().runExclusively(async () => {}))
  })
  outcomes.push(await transcripts().runExclusively(async () => {}))
  expect(outcomes).toEqual(['busy', 'done'])
})

test(
  '[X4] a process that stores calls may be killed at any moment: no call is lost or repeated',
  { timeout: 120_000 },
  async () => {
    const sessionIds: SessionId[] = []
    for (let count = 0; count < 40; count += 1) sessionIds.push(await openSpokenSession())
    for (const killAfter of [0, 15, 40, 90]) {
      const child = spawn(process.execPath, [TAKING, base.databaseUrl, sessionIds.join(',')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await pause(killAfter)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    for (const sessionId of sessionIds) await transcripts().take(createTakenCall(sessionId))
    for (const sessionId of sessionIds) {
      expect(await readMessages(sessionId)).toHaveLength(2)
      expect(await readEvents(sessionId)).toHaveLength(4)
      expect(await listSources(sessionId)).toHaveLength(1)
    }
  },
)
