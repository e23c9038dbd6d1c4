import { createHash, randomBytes } from 'node:crypto'
import {
  type CreateShareLink,
  type PersonId,
  type PlatformError,
  type ReflectionId,
  type SessionId,
  getShareLinkState,
  keepsSessionsOpen,
  type ShareLink,
} from '@parley/contracts'

import { beforeAll, describe, expect, test } from 'vitest'
import { ADA, useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'
import { runSql } from '../server/testing/test-cluster.ts'
import { IS_LINK_USABLE, KEEPS_SESSIONS_OPEN } from './share-link-store.ts'

const base = await useKnowledgeBase()
let reflectionId: ReflectionId
beforeAll(async () => {
  reflectionId = await newReflection()
})

async function newReflection(): Promise<ReflectionId> {
  const { reflections } = base.database
  const { id } = await reflections.create({ displayName: 'Ada', ownerId: ADA })
  await reflections.addNamespace(id, 'essays', ADA)
  return id
}

const freshHash = () => createHash('sha256').update(randomBytes(16)).digest()

async function createLink(given: CreateShareLink = {}) {
  const tokenHash = freshHash()
  return {
    tokenHash,
    link: await base.database.shareLinks.create({ reflectionId, tokenHash, ...given }, ADA),
  }
}

/** A session that started with the link: only its row. */
async function openVisit(
  link: ShareLink,
  channel: 'text' | 'voice' = 'text',
  visitorTokenHash = freshHash(),
): Promise<SessionId> {
  const sessionId = `ses_${randomBytes(8).toString('hex')}` as SessionId
  await base.database.sessionRows.open(
    {
      sessionId,
      reflectionId: link.reflectionId,
      personId: `per_guest${randomBytes(8).toString('hex')}` as PersonId,
      shareLinkId: link.id,
      channel,
      mode: 'share',
      sessionAudience: 'public',
      surface: 'public',
      role: 'guest',
      ingestion: 'keep-only',
      namespaces: ['general'],
      status: channel === 'voice' ? 'starting' : 'active',
    },
    visitorTokenHash,
  )
  return sessionId
}

const readAudit = async (id: ReflectionId) =>
  (await base.database.reflections.listAuditEntries(id, { limit: 100 })).items.map(({ what, target }) => [
    what,
    target,
  ])

describe('share links in Postgres', () => {
  test('[V17] a link has the settings it was created with, and its creation is recorded', async () => {
    const { shareLinks } = base.database
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { link } = await createLink({ namespaces: ['essays', 'general'], maxUses: 3, expiresAt })
    expect(link).toMatchObject({ namespaces: ['essays', 'general'], maxUses: 3, uses: 0, expiresAt })
    expect(await shareLinks.find(link.id)).toEqual(link)
    expect((await shareLinks.list(reflectionId))[0]).toEqual(link)
    expect(await readAudit(reflectionId)).toContainEqual(['shared', link.id])
  })

  test('an unknown namespace is refused, and nothing is stored', async () => {
    const other = await newReflection()
    const asked = base.database.shareLinks.create(
      { reflectionId: other, tokenHash: freshHash(), namespaces: ['essays', 'letters'] },
      ADA,
    )
    await expect(asked).rejects.toMatchObject({ code: 'validation' })
    expect(await base.database.shareLinks.list(other)).toEqual([])
  })

  test('[V17] only the hash of the token is stored', async () => {
    const { tokenHash } = await createLink()
    const [row] = await runSql(
      base.databaseUrl,
      `select octet_length(token_hash) as length from share_links where token_hash = '\\x${tokenHash.toString('hex')}'`,
    )
    expect(row).toEqual({ length: 32 })
  })

  test.each<[string, (link: ShareLink) => Promise<unknown>]>([
    ['revoked', ({ id }) => base.database.shareLinks.revoke(reflectionId, id, ADA)],
    ['over', ({ id }) => alterLink(id, `expires_at = now() - interval '1 second'`)],
    ['used up', ({ id }) => alterLink(id, 'max_uses = 1, uses = 1')],
  ])('[V17] a link that is %s admits nobody', async (_, spoil) => {
    const { shareLinks } = base.database
    const { link, tokenHash } = await createLink()
    expect(await shareLinks.findUsable(tokenHash)).toEqual(link)
    await spoil(link)
    const { uses } = (await shareLinks.find(link.id)) ?? {}
    expect(await shareLinks.findUsable(tokenHash)).toBeUndefined()
    await expect(openVisit(link)).rejects.toMatchObject({ code: 'share_link_invalid' })
    expect((await shareLinks.find(link.id))?.uses).toBe(uses)
  })

  test('[V17] the database decides about a link as the rules do, in every state and at the very moment', async () => {
    // One statement has one moment, which `now` is.
    const rows = await runSql(
      base.databaseUrl,
      `select ${IS_LINK_USABLE} as usable, ${KEEPS_SESSIONS_OPEN} as keeps_open, now() as at,
        l.revoked_at, l.expires_at, l.max_uses, l.uses
      from (
        select '${reflectionId}' as reflection_id, revoked_at, expires_at, max_uses, uses
        from (values (null), (now() - interval '1 second'), (now())) as revoked(revoked_at),
          (values (null), (now() - interval '1 millisecond'), (now()), (now() + interval '1 millisecond'))
            as expired(expires_at),
          (values (null), (1), (2), (3)) as allowed(max_uses),
          (values (0), (2)) as used(uses)
      ) as l`,
    )
    expect(rows).toHaveLength(3 * 4 * 4 * 2)
    for (const row of rows) {
      const link = {
        revokedAt: toTime(row['revoked_at']),
        expiresAt: toTime(row['expires_at']),
        maxUses: typeof row['max_uses'] === 'number' ? row['max_uses'] : undefined,
        uses: Number(row['uses']),
      }
      const at = Date.parse(String(toTime(row['at'])))
      const decided = {
        usable: getShareLinkState(link, at) === 'active',
        keepsOpen: keepsSessionsOpen(link, at),
      }
      expect({ link, usable: row['usable'], keepsOpen: row['keeps_open'] }).toEqual({ link, ...decided })
    }
  })

  test('[V17] a link of a removed reflection admits nobody', async () => {
    const { shareLinks, reflections } = base.database
    const gone = await newReflection()
    const tokenHash = freshHash()
    await shareLinks.create({ reflectionId: gone, tokenHash }, ADA)
    await reflections.remove(gone, ADA)
    expect(await shareLinks.findUsable(tokenHash)).toBeUndefined()
  })

  test('[V17] fifty concurrent sessions never exceed the uses of a link, and a failed one returns its use', async () => {
    const { shareLinks, sessionRows } = base.database
    const { link } = await createLink({ maxUses: 10 })
    const open = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          openVisit(link, 'voice', freshHash()).catch((failure: PlatformError) => failure.code),
        ),
      )
    const results = await open(50)
    expect(results.filter((one) => one === 'share_link_invalid')).toHaveLength(40)
    expect((await shareLinks.find(link.id))?.uses).toBe(10)
    const [first = ''] = results.filter((one) => one !== 'share_link_invalid')
    await sessionRows.fail(first as SessionId, 'provider_unavailable')
    expect((await open(5)).filter((one) => one !== 'share_link_invalid')).toHaveLength(1)
  })

  test('[V17] a failed start returns its use once, by its own process or by the one that finds it dead', async () => {
    const { shareLinks, sessionRows } = base.database
    const { link } = await createLink({ maxUses: 9 })
    const readUses = async () => (await shareLinks.find(link.id))?.uses
    const failOverdue = () => sessionRows.failOverdue(new Date(Date.now() + 60_000).toISOString())
    const open = () => openVisit(link, 'voice', freshHash())
    const [dead, ended, failed] = [await open(), await open(), await open()]
    await sessionRows.fail(failed, 'run_timeout')
    await sessionRows.fail(failed, 'run_timeout')
    expect(await readUses()).toBe(2)
    // It was ended while it was starting, so its own process reports a failed start.
    await sessionRows.end(ended)
    await sessionRows.fail(ended, 'session_ended')
    expect((await sessionRows.find(ended))?.status).toBe('ended')
    expect(await readUses()).toBe(1)
    await Promise.all([failOverdue(), sessionRows.fail(dead, 'run_timeout'), failOverdue()])
    expect(await readUses()).toBe(0)
  })

  test('[V17] revoking ends the scopes of the link’s sessions, and is recorded once', async () => {
    const { shareLinks, publicScopes } = base.database
    const { link } = await createLink()
    const { link: other } = await createLink()
    const [sessionId, elsewhere] = [await openVisit(link), await openVisit(other)]
    await publicScopes.create({ sessionId, reflectionId })
    await publicScopes.create({ sessionId: elsewhere, reflectionId })
    expect(await shareLinks.revoke(reflectionId, link.id, ADA)).toEqual([sessionId])
    const { revokedAt } = (await shareLinks.find(link.id)) ?? {}
    await shareLinks.revoke(reflectionId, link.id, ADA)
    expect((await shareLinks.find(link.id))?.revokedAt).toBe(revokedAt)
    const scopes = await runSql(base.databaseUrl, 'select session_id from public_scopes')
    expect(scopes).toEqual([{ session_id: elsewhere }])
    const entries = (await readAudit(reflectionId)).filter(([what]) => what === 'share_revoked')
    expect(entries.filter(([, target]) => target === link.id)).toHaveLength(1)
  })

  test('a link can be revoked only in its own reflection', async () => {
    const { shareLinks } = base.database
    const { link } = await createLink()
    expect(await shareLinks.revoke(await newReflection(), link.id, ADA)).toBeUndefined()
    expect((await shareLinks.find(link.id))?.revokedAt).toBeUndefined()
  })

  test('[A4] the usage of a link counts started and active sessions, and their cost since a time', async () => {
    const { shareLinks, sessionRows } = base.database
    const { link } = await createLink()
    const [first, second, third] = [await openVisit(link), await openVisit(link), await openVisit(link)]
    await sessionRows.end(second)
    await sessionRows.fail(third, 'internal')
    await runSql(
      base.databaseUrl,
      `insert into agent_sessions (id, owner_id, channel, status, agent_slug, agent_snapshot, context, created_at,
        updated_at, message_count, event_last, event_reserved, costs)
      values ('${first}', 'per_x', 'text', 'active', 'a', '{}', '{}', now(), now(), 0, 1, 1,
        '{"a/one": {"microcents": 300}, "a/two": {"microcents": 45}}')`,
    )
    const today = { since: toPastTime(60_000), activeSince: toPastTime(60_000) }
    expect(await shareLinks.readUsage(link.id, today)).toEqual({ started: 2, active: 1, microcents: 345 })
    const spoken = await openVisit(link, 'voice')
    const bind = (providerConversationId: string) =>
      sessionRows.activateSpoken(spoken, { providerConversationId, agentId: 'agent_made_up' })
    await bind(`conv_1_of_${spoken}`)
    expect(await shareLinks.readUsage(link.id, today)).toMatchObject({ started: 3, active: 2 })
    await sessionRows.takeReconnect(spoken, 5)
    await bind(`conv_2_of_${spoken}`)
    expect(await shareLinks.readUsage(link.id, today)).toMatchObject({ started: 4, active: 2 })
    const later = { since: toPastTime(-60_000), activeSince: toPastTime(-60_000) }
    expect(await shareLinks.readUsage(link.id, later)).toEqual({ started: 0, active: 0, microcents: 0 })
    expect(await shareLinks.findVisitorSession(first)).toEqual({ linkId: link.id, microcents: 345 })
  })
})

const alterLink = (id: string, set: string) =>
  runSql(base.databaseUrl, `update share_links set ${set} where id = '${id}'`)

const toPastTime = (ms: number) => new Date(Date.now() - ms).toISOString()

const toTime = (at: unknown) => (at instanceof Date ? at.toISOString() : undefined)
