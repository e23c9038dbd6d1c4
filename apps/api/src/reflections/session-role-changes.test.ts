import { randomBytes } from 'node:crypto'
import { type PersonId, Reflection, type ReflectionId } from '@parley/contracts'
import {
  findCurrentRole,
  type ReflectionSession,
  buildSessionSource,
  createVisitorId,
} from '@parley/reflections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { claimOf, hashOf, spokenApi } from './spoken-api.fixture.ts'

type Api = Awaited<ReturnType<typeof spokenApi>>
type Composed = Awaited<ReturnType<Api['services']>>

let api: Api
let composed: Composed
beforeAll(async () => {
  api = await spokenApi()
  composed = await api.services()
}, 60_000)
afterAll(async () => {
  await composed.close()
  await api[Symbol.asyncDispose]()
})

const Tokens = z.object({ items: z.array(z.object({ tokenId: z.string(), personId: z.string() })) })

interface Talk {
  readonly at: string
  readonly reflectionId: ReflectionId
  readonly personId: PersonId
  readonly linkId: string
}

const revokeToken = async ({ personId }: Talk) => {
  const { items } = Tokens.parse((await api.call('GET', '/tokens?limit=100')).answer)
  const token = items.find((one) => one.personId === personId)
  await api.call('DELETE', `/tokens/${token?.tokenId}`)
}
const letOut = ({ at, personId }: Talk) => api.call('DELETE', `${at}/members/${personId}`)
const demote = ({ at, personId }: Talk) => api.call('PUT', `${at}/members`, { personId, role: 'viewer' })
const remove = ({ at }: Talk) => api.call('DELETE', at)
const revokeLink = ({ at, linkId }: Talk) => api.call('DELETE', `${at}/share-links/${linkId}`)
const stopLearning = ({ at }: Talk) => api.call('PATCH', at, { shareIngestion: false })

type Case = readonly [
  who: 'operator' | 'visitor',
  change: string,
  make: (talk: Talk) => Promise<unknown>,
  standing: string | undefined,
  isLearned: boolean,
  toolStatus: number,
]
const CASES: readonly Case[] = [
  ['operator', 'nothing happened', async () => {}, 'operator', true, 200],
  ['operator', 'their token was revoked', revokeToken, undefined, false, 403],
  ['operator', 'they were let out', letOut, undefined, false, 403],
  ['operator', 'they are a viewer now', demote, 'viewer', false, 200],
  ['operator', 'the reflection was removed', remove, undefined, false, 403],
  ['visitor', 'nothing happened', async () => {}, 'guest', true, 200],
  ['visitor', 'the link was revoked', revokeLink, undefined, false, 403],
  ['visitor', 'visitors are not learned from any more', stopLearning, 'guest', false, 200],
  ['visitor', 'the reflection was removed', remove, undefined, false, 403],
]

let made = 0

async function talking(who: Case[0]): Promise<{ readonly talk: Talk; readonly session: ReflectionSession }> {
  made += 1
  const { id: reflectionId } = await api.reflection(`Ada the ${made}.`)
  const at = `/reflections/${reflectionId}`
  await api.call('POST', `${at}/namespaces`, { name: 'essays' })
  await api.call('POST', `${at}/publish`, { namespaces: ['essays'] })
  Reflection.parse((await api.call('PATCH', at, { shareIngestion: true })).answer)
  const { id: linkId } = await api.database.shareLinks.create(
    { reflectionId, tokenHash: hashOf(`made-up-link-${made}`) },
    'per_owner' as PersonId,
  )
  const isVisitor = who === 'visitor'
  const personId = isVisitor
    ? createVisitorId(randomBytes(12).toString('hex'))
    : (await api.member('operator', reflectionId)).personId
  const session = await api.spoken({
    name: `standing${made}`,
    reflectionId,
    personId,
    ingestion: 'ingest',
    namespaces: ['essays'],
    ...(isVisitor && { role: 'guest', mode: 'share', sessionAudience: 'public', shareLinkId: linkId }),
  })
  return { talk: { at, reflectionId, personId, linkId }, session }
}

const SAID = [
  {
    role: 'user' as const,
    content: [{ type: 'text' as const, text: 'I live in Bergen.' }],
    timestamp: new Date().toISOString(),
  },
]

test.each(CASES)(
  '[V4] [A2] a call of the %s, where %s',
  async (who, _, change, standing, isLearned, status) => {
    const { talk, session } = await talking(who)
    await change(talk)
    const { services } = composed
    expect(await findCurrentRole(session, services)).toBe(standing)
    expect((await buildSessionSource(session, SAID, services)) !== undefined).toBe(isLearned)
    const called = await api.tool('retrieve-context', { ...claimOf(session), query: 'Where do you live?' })
    expect(called.status).toBe(status)
  },
)

test('[V5] words from before a link expired are learned after it', async () => {
  const { session } = await talking('visitor')
  const { shareLinks, ...services } = composed.services
  const over = new Date(Date.parse(session.createdAt) + 1).toISOString()
  const host = {
    ...services,
    shareLinks: {
      find: async (linkId: string) => {
        const link = await shareLinks.find(linkId)
        return link && { ...link, expiresAt: over }
      },
    },
  }
  expect(await findCurrentRole(session, host, Date.parse(over))).toBeUndefined()
  expect(await buildSessionSource(session, SAID, host)).toBeDefined()
})
