import { randomBytes } from 'node:crypto'
import { MemberRole, type PersonId, type PlatformError, type SessionId } from '@parley/contracts'
import { createTestSession } from '@parley/engine/testing'
import { enterSession } from '@parley/reflections'
import { expect, test } from 'vitest'
import { ADA, useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'
import { AT } from './testing/turns.ts'

const base = await useKnowledgeBase()

async function createPerson(role: MemberRole): Promise<PersonId> {
  const personId = `per_${randomBytes(8).toString('hex')}` as PersonId
  await base.database.tokens.create({ personId, label: role, role, tokenHash: randomBytes(32), by: ADA })
  return personId
}

/** A session of a person, with a reflection or with an agent of the server. */
async function createSession(personId: PersonId, partner: 'reflection' | 'agent'): Promise<SessionId> {
  const { sessions, sessionRows } = base.database
  const sessionId = `ses_${randomBytes(8).toString('hex')}` as SessionId
  await sessions.create(...createTestSession(sessionId, AT, { ownerId: personId }))
  if (partner === 'agent') return sessionId
  await sessionRows.open({
    sessionId,
    reflectionId: reflection.id,
    personId,
    channel: 'text',
    mode: 'reflection',
    sessionAudience: 'private',
    surface: 'standard',
    role: 'viewer',
    ingestion: 'keep-only',
    namespaces: ['general'],
    status: 'active',
  })
  return sessionId
}

const reflection = await base.database.reflections.create({ displayName: 'Ada', ownerId: ADA })

const host = {
  ...base.database,
  store: base.database.sessions,
  offRecord: { holds: () => false },
  findReflectionRole: (...about: Parameters<typeof base.database.tokens.findReflectionRole>) =>
    base.database.tokens.findReflectionRole(...about),
  now: Date.now,
  deadline: (ms: number) => AbortSignal.timeout(ms),
  logger: { warn: () => {} },
}

const MEMBERSHIPS: readonly (MemberRole | 'none')[] = [...MemberRole.options, 'none']

test.each(MemberRole.options.flatMap((role) => MEMBERSHIPS.map((membership) => [role, membership] as const)))(
  '[A3] a server %s whose role on the reflection is %s lists the sessions that they may enter',
  async (role, membership) => {
    const personId = await createPerson(role)
    if (membership !== 'none') {
      await base.database.reflections.setMember(reflection.id, { personId, role: membership }, ADA)
    }
    const stranger = await createPerson('viewer')
    const candidates = [
      await createSession(personId, 'reflection'),
      await createSession(personId, 'agent'),
      await createSession(stranger, 'reflection'),
      await createSession(stranger, 'agent'),
    ]
    const page = await base.database.sessions.list({ reader: personId, limit: 1_000 })
    const listed = new Set(page.items.map(({ session }) => session.id))
    for (const sessionId of candidates) {
      const entered = await enterSession({ personId, role }, sessionId, 'read', host).then(
        () => true,
        ({ code }: PlatformError) => code !== 'session_not_found',
      )
      expect([sessionId, listed.has(sessionId)]).toEqual([sessionId, entered])
    }
  },
)
