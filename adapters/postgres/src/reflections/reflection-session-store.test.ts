import { randomBytes } from 'node:crypto'
import type { ReflectionId, SessionId } from '@parley/contracts'
import { createTestSession } from '@parley/engine/testing'
import type { ReflectionSession } from '@parley/reflections'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADA, BEN, useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { AT, createBatch, createNewTurn } from '../sessions/testing/turns.ts'
import { findTablesContaining } from '../testing/index.ts'

const base = await useKnowledgeBase()
let reflectionId: ReflectionId
beforeAll(async () => {
  reflectionId = (await base.database.reflections.create({ displayName: 'Ada Winter', ownerId: ADA })).id
})

const store = () => base.database.sessionRows

type Opening = Omit<ReflectionSession, 'createdAt' | 'transcript' | 'failure' | 'providerConversationId'>

async function openSession(given: Partial<Opening> = {}, visitorTokenHash?: Uint8Array): Promise<SessionId> {
  const sessionId = `ses_${randomBytes(8).toString('hex')}` as SessionId
  await store().open(
    {
      sessionId,
      reflectionId,
      personId: ADA,
      channel: 'voice',
      mode: 'reflection',
      sessionAudience: 'private',
      surface: 'standard',
      role: 'owner',
      ingestion: 'ingest',
      namespaces: ['general', 'essays'],
      status: 'starting',
      ...given,
    },
    visitorTokenHash,
  )
  return sessionId
}

/** Adds a message to it. */
async function storeQuestion(sessionId: SessionId) {
  await base.database.sessions.create(...createTestSession(sessionId, AT))
  await base.database.sessions.beginTurn(createNewTurn(sessionId))
}

const toCall = (providerConversationId: string) => ({ providerConversationId, agentId: 'agent_one' })
const readStatus = async (sessionId: SessionId) => (await store().find(sessionId))?.status

/** The earlier states of a session. */
const BEFORE: Readonly<Record<ReflectionSession['status'], (sessionId: SessionId) => Promise<unknown>>> = {
  starting: async () => {},
  active: (sessionId) => store().activateSpoken(sessionId, toCall(`conv_of_${sessionId}`)),
  failed: (sessionId) => store().fail(sessionId, 'provider_unavailable'),
  ended: (sessionId) => store().end(sessionId),
}

describe('sessions with reflections in Postgres', () => {
  test('[A4] are reconnected up to the limit, also under concurrent requests', async () => {
    const sessionId = await openSession()
    expect(await store().takeReconnect(sessionId, 3)).toBe(false)
    await store().activateSpoken(sessionId, toCall(`conv_of_${sessionId}`))
    const taken = await Promise.all(Array.from({ length: 8 }, () => store().takeReconnect(sessionId, 3)))
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(3)
    await store().end(sessionId)
    expect(await store().takeReconnect(sessionId, 9)).toBe(false)
  })

  test('[V9] are read back as they were opened', async () => {
    const sessionId = await openSession()
    expect(await store().find(sessionId)).toMatchObject({
      sessionId,
      personId: ADA,
      namespaces: ['general', 'essays'],
      status: 'starting',
      transcript: 'none',
    })
    expect(await store().find('ses_nobody' as SessionId)).toBeUndefined()
  })

  test.each<[ReflectionSession['status'], boolean]>([
    ['starting', true],
    ['active', true],
    ['failed', false],
    ['ended', false],
  ])('[V9] a %s session is bound: %s', async (status, isBound) => {
    const sessionId = await openSession()
    await BEFORE[status](sessionId)
    expect(await store().activateSpoken(sessionId, toCall(`conv_new_${sessionId}`))).toBe(isBound)
    expect(await readStatus(sessionId)).toBe(isBound ? 'active' : status)
    const found = await store().findByProvider(`conv_new_${sessionId}`)
    expect(found?.sessionId).toBe(isBound ? sessionId : undefined)
    expect(found?.transcript).toBe(isBound ? 'pending' : undefined)
  })

  test.each<[ReflectionSession['channel'], ReflectionSession['status'], boolean]>([
    ['text', 'starting', true],
    ['text', 'failed', false],
    ['text', 'ended', false],
    ['voice', 'starting', false],
  ])('[V9] a %s session that is %s is made active without a call: %s', async (channel, status, isActive) => {
    const sessionId = await openSession({ channel })
    await BEFORE[status](sessionId)
    expect(await store().activateTyped(sessionId)).toBe(isActive)
    expect(await readStatus(sessionId)).toBe(isActive ? 'active' : status)
  })

  test.each<[ReflectionSession['status'], ReflectionSession['status'], string | undefined]>([
    ['starting', 'failed', 'run_timeout'],
    ['active', 'failed', 'run_timeout'],
    ['failed', 'failed', 'provider_unavailable'],
    ['ended', 'ended', undefined],
  ])('[V9] a %s session that fails becomes %s', async (before, after, failure) => {
    const sessionId = await openSession()
    await BEFORE[before](sessionId)
    await store().fail(sessionId, 'run_timeout')
    const found = await store().find(sessionId)
    expect([found?.status, found?.failure]).toEqual([after, failure])
  })

  test('[V9] of a late answer and a concurrent failure one wins, for good', async () => {
    for (let round = 0; round < 20; round += 1) {
      const sessionId = await openSession()
      const [isBound] = await Promise.all([
        store().activateSpoken(sessionId, toCall(`conv_race_${sessionId}`)),
        store().fail(sessionId, 'run_timeout'),
      ])
      const found = await store().find(sessionId)
      expect(found?.status).toBe('failed')
      expect(found?.providerConversationId !== undefined).toBe(isBound)
    }
  })

  test('[X4] a start whose process died fails once, and no other start does', async () => {
    const [left, onNow] = [await openSession(), await openSession()]
    await BEFORE.active(onNow)
    const soon = new Date(Date.now() + 60_000).toISOString()
    const long = new Date(Date.now() - 60_000).toISOString()
    expect((await store().failOverdue(long)).map(({ sessionId }) => sessionId)).not.toContain(left)
    expect((await store().failOverdue(soon)).map(({ sessionId }) => sessionId)).toContain(left)
    expect(await store().failOverdue(soon)).toEqual([])
    expect([await readStatus(left), await readStatus(onNow)]).toEqual(['failed', 'active'])
  })

  test('[V17] a visitor is found while their session is active and their link is valid', async () => {
    const linkId = `shl_${randomBytes(8).toString('hex')}`
    await runSql(
      base.databaseUrl,
      `insert into share_links (id, reflection_id, token_hash, created_by)
         values ('${linkId}', '${reflectionId}', '\\x${randomBytes(32).toString('hex')}', '${ADA}')`,
    )
    const hash = randomBytes(32)
    const visitor = {
      shareLinkId: linkId,
      role: 'guest',
      sessionAudience: 'public',
      surface: 'public',
    } as const
    const sessionId = await openSession({ ...visitor, mode: 'share', ingestion: 'keep-only' }, hash)
    expect(await store().findByVisitor(hash)).toBeUndefined()
    await store().activateSpoken(sessionId, toCall('conv_of_the_visitor'))
    expect(await store().findByVisitor(hash)).toMatchObject({ sessionId, shareLinkId: linkId })
    expect(await store().findByVisitor(randomBytes(32))).toBeUndefined()
    await runSql(base.databaseUrl, `update share_links set revoked_at = now() where id = '${linkId}'`)
    expect(await store().findByVisitor(hash)).toBeUndefined()
    await runSql(
      base.databaseUrl,
      `update share_links set revoked_at = null, expires_at = now() - interval '1 minute' where id = '${linkId}'`,
    )
    expect(await store().findByVisitor(hash)).toBeUndefined()
  })

  test('[V7] earlier sessions are the person’s own, latest first, without failed, off-record and empty ones', async () => {
    const { id } = await base.database.reflections.create({ displayName: 'Ben', ownerId: BEN })
    const ofBen = { reflectionId: id, personId: BEN, channel: 'text', status: 'active' } as const
    const first = await openSession(ofBen)
    // The session counts, although it has no message.
    expect(await store().listEarlier(id, BEN, 10)).toHaveLength(1)
    const second = await openSession(ofBen)
    await storeQuestion(first)
    await storeQuestion(second)
    await runSql(
      base.databaseUrl,
      `update reflection_sessions set created_at = now() - interval '1 day' where session_id = '${first}'`,
    )
    await openSession({ ...ofBen, ingestion: 'off-record' })
    await openSession({ ...ofBen, personId: ADA })
    // A session without messages.
    for (let n = 0; n < 6; n += 1) await openSession(ofBen)
    await store().fail(await openSession(ofBen), 'internal')
    const found = await store().listEarlier(id, BEN, 10)
    expect(found.map(({ sessionId }) => sessionId)).toEqual([second, first])
    expect(await store().listEarlier(id, BEN, 1)).toHaveLength(1)
  })

  test('[V16] a call is awaited until its transcript is stored, once', async () => {
    const sessionId = await openSession()
    await store().activateSpoken(sessionId, toCall('conv_waited_for'))
    const long = new Date(Date.now() + 60_000).toISOString()
    const listAwaited = async (before: string) =>
      (await store().listCallsWithoutTranscript(before, 1_000)).some(
        (session) => session.sessionId === sessionId,
      )
    expect(await listAwaited(long)).toBe(true)
    expect(await listAwaited(new Date(Date.now() - 60_000).toISOString())).toBe(false)
    const call = { sessionId, providerConversationId: 'conv_waited_for', startedAt: long }
    const take = () => base.database.transcripts.take({ ...call, messages: [], title: '' })
    expect([await take(), await take()]).toEqual(['gone', 'taken-before'])
    expect(await listAwaited(long)).toBe(false)
  })

  test('[X5] [V17] removing a reflection removes its sessions in any state, with their visitors and starts', async () => {
    const { reflections, shareLinks, sessions } = base.database
    const { id } = await reflections.create({ displayName: 'Soon gone', ownerId: ADA })
    const tokenHash = randomBytes(32)
    const link = await shareLinks.create({ reflectionId: id, tokenHash: randomBytes(32) }, ADA)
    const shared = { sessionAudience: 'public', surface: 'public', mode: 'share', role: 'guest' } as const
    const visited = await openSession(
      { ...shared, reflectionId: id, channel: 'text', status: 'active', shareLinkId: link.id },
      tokenHash,
    )
    const starting = await openSession({ reflectionId: id })
    await store().activateSpoken(await openSession({ reflectionId: id }), toCall('conv_soon_gone'))
    await store().activateSpoken(await openSession(), toCall('conv_of_another'))
    await sessions.create(...createTestSession(visited, AT))
    const lease = await sessions.beginTurn(createNewTurn(visited, 'Do you know the word Quillfeather?'))
    expect(await store().findByVisitor(tokenHash)).toMatchObject({ sessionId: visited })
    expect(await store().listCalls(id)).toEqual(['conv_soon_gone'])

    await reflections.remove(id, ADA)
    expect(await sessions.find(visited)).toBeUndefined()
    await expect(sessions.append(lease, createBatch(lease))).rejects.toMatchObject({ code: 'session_busy' })
    expect(await findTablesContaining(base.databaseUrl, 'Quillfeather')).toEqual([])
    expect(await store().findByVisitor(tokenHash)).toBeUndefined()
    expect(await store().activateSpoken(starting, toCall('conv_too_late'))).toBe(false)
    // A session that starts during the removal is removed too.
    await sessions.create(...createTestSession(visited, AT))
    await base.learning.learning.eraseReflection(id)
    expect(await sessions.find(visited)).toBeUndefined()
    expect(await store().find(visited)).toBeUndefined()
  })

  test('[X5] sessions of an existing reflection cannot be erased', async () => {
    const sessionId = await openSession()
    await base.database.sessions.create(...createTestSession(sessionId, AT))
    await runSql(base.databaseUrl, `select erase_sessions_of('${reflectionId}')`)
    expect(await base.database.sessions.find(sessionId)).toBeDefined()
    expect(await readStatus(sessionId)).toBe('starting')
  })

  test('[V16] an event that was recorded counts as processed, however often it arrives', async () => {
    expect(await store().isEventTaken('evt_one')).toBe(false)
    await Promise.all(Array.from({ length: 10 }, () => store().recordEvent('evt_one')))
    expect(await store().isEventTaken('evt_one')).toBe(true)
  })
})
