import { CreatedShareLink, type ReflectionId, SessionId } from '@parley/contracts'
import { z } from 'zod'
import { runSql } from '../../../../adapters/postgres/src/server/testing/test-cluster.ts'
import { rebuild } from '../testing/learn.ts'
import { spokenApi } from './spoken-api.fixture.ts'

const Visited = z.object({ sessionId: SessionId, token: z.string() })

/** A private word that must appear nowhere. */
export const CANARY = 'zephyrine'

const HOUR_MS = 3_600_000

/** A reflection that is published in part and speaks, and links to it. */
export async function visitorApi() {
  const api = await spokenApi()
  const { id: reflectionId } = await api.reflection('Ada Example')
  await api.learned(reflectionId, 'essays', 'Ada Example built an observatory in Ankara in 1954.')
  await api.learned(reflectionId, 'talks', 'Ada Example spoke about comets in Lisbon in 1961.')
  await api.learned(reflectionId, 'diary', `Ada Example calls her boat ${CANARY}.`)
  await api.call('PATCH', `/reflections/${reflectionId}`, {
    voice: { voiceId: 'slt', kind: 'stock' },
  })
  const at = `/reflections/${reflectionId}`
  const publish = async (change: 'publish' | 'unpublish', ...namespaces: readonly string[]) => {
    await api.call('POST', `${at}/${change}`, { namespaces })
    await rebuild(api.databaseUrl, reflectionId)
  }
  await publish('publish', 'essays', 'talks')

  return {
    ...api,
    reflectionId: reflectionId satisfies ReflectionId,
    at,
    publish,
    share: async (body: object = {}) =>
      CreatedShareLink.parse((await api.call('POST', `${at}/share-links`, body)).answer),
    uses: async (linkId: string) => (await api.database.shareLinks.find(linkId))?.uses,
    revoke: (linkId: string) => api.call('DELETE', `${at}/share-links/${linkId}`),
    inAnHour: () => new Date(Date.now() + HOUR_MS).toISOString(),
    /** As the link sees it. */
    anHourPasses: (linkId: string) =>
      runSql(
        api.databaseUrl,
        `update share_links set expires_at = expires_at - interval '1 hour' where id = '${linkId}'`,
      ),
    /** As anybody would. */
    visit: (token: string, body: object = { channel: 'text' }) =>
      api.send('POST', `/r/${token}/sessions`, body),
    visited: (answered: { readonly answer: unknown }) => Visited.parse(answered.answer),
  }
}
