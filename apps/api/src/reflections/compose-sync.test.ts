import { type PersonId, SourcePage, Surface } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { openLearning } from '@parley/postgres'
import { type VoiceProvider, unpublishNamespaces } from '@parley/reflections'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { wait } from '../node-host.ts'
import { rebuild } from '../testing/learn.ts'
import { composeSync } from './compose-sync.ts'
import { BINDING_SECRETS, TOOL_SECRET } from './spoken-api.fixture.ts'
import { visitorApi } from './visitor-api.fixture.ts'

let api: Awaited<ReturnType<typeof visitorApi>>
beforeAll(async () => {
  api = await visitorApi()
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())
afterEach(() => api.publish('publish', 'essays', 'talks'))

const { signal } = new AbortController()
const PATIENCE = { timeout: 20_000, interval: 50 }
const OWNER = 'per_owner' as PersonId

/** What an API process has, with parts of it changed. */
function process(changed: {
  readonly provider?: Partial<VoiceProvider>
  readonly reflections?: Partial<ReflectionStore>
}) {
  const logged: string[] = []
  const { database } = api
  const logger = pino({}, { write: (line: string) => void logged.push(line) })
  const composed = composeSync({
    database,
    logger,
    voice: {
      provider: { ...api.provider, ...changed.provider },
      publicUrl: api.publicUrl,
      socketOrigin: 'ws://127.0.0.1:4401',
      bindingSecrets: BINDING_SECRETS,
      toolSecret: TOOL_SECRET,
      defaultVoiceId: 'made-up-voice',
    },
    webhook: undefined,
  })
  const { voiceAgents, agentSync, agentCleanup } = composed
  if (!voiceAgents || !agentSync || !agentCleanup) throw new Error('Nothing is spoken here')
  const host = {
    reflections: { ...database.reflections, ...changed.reflections },
    agentCleanup,
    sessions: { cancel: async () => false, end: async () => {} },
    logger,
    wait,
  }
  const look = (surface: Surface) => voiceAgents.ensureFresh(api.reflectionId, surface, signal)
  return {
    logged,
    ...agentSync,
    ...agentCleanup,
    unpublish: (...names: readonly string[]) => unpublishNamespaces(api.reflectionId, names, OWNER, host),
    look,
    agentOf: async (surface: Surface) => {
      const found = await look(surface)
      if (found.kind !== 'fresh') throw new Error(JSON.stringify(found))
      return found.agentId
    },
  }
}

async function held(agentId: string): Promise<string> {
  const agent = await api.provider.readAgent(agentId, signal)
  if (agent.kind !== 'agent') throw new Error(agent.reason)
  return JSON.stringify(agent.template)
}

test('[P8] an agent that is up to date is not closed', async () => {
  const { agentOf, ...own } = process({
    reflections: {
      // Somebody is quicker than who closes.
      async unpublish(...asked) {
        const unpublished = await api.database.reflections.unpublish(...asked)
        await rebuild(api.databaseUrl, api.reflectionId)
        await agentOf('public')
        return unpublished
      },
    },
  })
  const agentId = await agentOf('public')
  expect(await held(agentId)).toContain('Ankara')
  await own.unpublish('essays')
  expect(await held(agentId)).toContain('You are the reflection of Ada Example')
  expect(await held(agentId)).not.toContain('Ankara')
  expect(await own.look('public')).toMatchObject({ kind: 'fresh', agentId })
})

test('[P8] an unpublish does not wait for a silent provider, and closes the agent once it answers', async () => {
  const answers = Promise.withResolvers<void>()
  let isDown = false
  const { agentOf, ...own } = process({
    provider: {
      async updateAgent(...asked) {
        if (isDown) await answers.promise.finally(() => (isDown = false))
        return api.provider.updateAgent(...asked)
      },
    },
  })
  const agentId = await agentOf('public')
  isDown = true
  await own.unpublish('essays')
  expect(await held(agentId)).toContain('Ankara')
  answers.reject(new Error('The provider fell over'))
  await expect.poll(() => held(agentId), PATIENCE).not.toContain('Ankara')
  expect(own.logged.join()).toMatch(/still holds unpublished or removed sources.*Retrying/)
})

test('[P8] only the public agent loses a source that moved to a private namespace', async () => {
  const { agentOf, look } = process({})
  const text = 'Ada Example lives in Lisbon.'
  const sourceId = await api.learned(api.reflectionId, 'talks', text)
  await rebuild(api.databaseUrl, api.reflectionId)
  const [members, everybody] = [await agentOf('standard'), await agentOf('public')]
  expect(await held(everybody)).toContain('Lisbon')
  const moved = { title: 'Talk', namespace: 'diary', text }
  expect((await api.call('PUT', `${api.at}/sources/${sourceId}`, moved)).status).toBe(202)
  expect(await held(everybody)).not.toContain('Lisbon')
  expect(await held(members)).toContain('Lisbon')
  // Until the next build the promoted artifacts still hold it.
  expect(await look('public')).toMatchObject({ kind: 'not-ready' })
  await rebuild(api.databaseUrl, api.reflectionId)
  expect(await held(await agentOf('public'))).toContain('Ankara')
  expect(await held(everybody)).not.toContain('Lisbon')
})

/** As if the process had died before it reached the provider. */
async function takenBackByTheDead(...names: readonly string[]): Promise<string> {
  const agentId = await process({}).agentOf('public')
  await api.database.reflections.unpublish(api.reflectionId, names, OWNER)
  expect(await held(agentId)).toContain('Ankara')
  return agentId
}

const publicDrift = async (how: 'report' | 'repair') =>
  (await process({}).audit(api.reflectionId, how)).items.find(({ surface }) => surface === 'public')

test('[P6] [X4] an agent that a dead process did not close is closed by another, once', async () => {
  const agentId = await takenBackByTheDead('essays')
  const asked: string[] = []
  const other = process({
    provider: {
      async updateAgent(id, ...rest) {
        asked.push(id)
        return api.provider.updateAgent(id, ...rest)
      },
    },
  })
  await other.closeOutdatedAgents(signal)
  expect(await held(agentId)).not.toContain('Ankara')
  await other.closeOutdatedAgents(signal)
  expect(asked).toEqual([agentId])
})

test('[P6] [P13] if nothing is published, the audit reports the agent, and a repair and a sync close it', async () => {
  const agentId = await takenBackByTheDead('essays', 'talks')
  const drift = await publicDrift('report')
  expect(drift).toMatchObject({ status: 'differs', agentId, why: [expect.stringContaining('published')] })
  expect(drift?.differences.map(({ path }) => path)).toContain('prompt')
  expect(await publicDrift('repair')).toMatchObject({ status: 'as_wanted', agentId })
  expect(await held(agentId)).not.toContain('Ankara')

  await api.publish('publish', 'essays', 'talks')
  await takenBackByTheDead('essays', 'talks')
  await process({}).sync(api.reflectionId, 'public')
  expect(await held(agentId)).not.toContain('Ankara')
  expect(await api.database.syncs.listPendingRevocations()).toEqual([])
})

test('[X5] every agent loses a removed source at once, for good', async () => {
  const { agentOf, look } = process({})
  const agents = await Promise.all(Surface.options.map(agentOf))
  for (const agentId of agents) expect(await held(agentId)).toContain('Ankara')
  const { answer } = await api.call('GET', `${api.at}/sources?namespace=essays`)
  const [source] = SourcePage.parse(answer).items
  if (!source) throw new Error('There is no source')
  expect((await api.call('DELETE', `${api.at}/sources/${source.id}`)).status).toBe(202)
  for (const agentId of agents) expect(await held(agentId)).not.toMatch(/Ankara|observatory/)

  // Until the job has run, the promoted artifacts still hold it.
  for (const surface of Surface.options) expect(await look(surface)).toMatchObject({ kind: 'not-ready' })
  const learning = openLearning({ databaseUrl: api.databaseUrl })
  await learning.learning.eraseSource(source.id)
  await learning.close()
  await rebuild(api.databaseUrl, api.reflectionId)
  expect(await Promise.all(Surface.options.map(agentOf))).toEqual(agents)
  for (const agentId of agents) {
    expect(await held(agentId)).toContain('You are the reflection of Ada Example')
    expect(await held(agentId)).not.toContain('Ankara')
  }
})
