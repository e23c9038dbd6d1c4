import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audience, PersonId, SessionId } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { freshDatabase } from '@parley/postgres/testing'
import { inTime, rebuildVoice } from '@parley/reflections'
import { startWorkerProcess } from '@parley/worker'
import { pino } from 'pino'
import { vi } from 'vitest'
import { compose } from '../../apps/api/src/compose.ts'
import { wait } from '../../apps/api/src/node-host.ts'
import { reflectionSessionsOf } from '../../apps/api/src/reflections/reflection-sessions.ts'

interface DemoReflection {
  readonly displayName: string
  readonly creatorName: string
  readonly namespaces: readonly { readonly name: string; readonly published: boolean }[]
  readonly sources: readonly { readonly file: string; readonly title: string; readonly namespace: string }[]
}

const at = (file: string) => new URL(`../../demo/${file}`, import.meta.url)
const logger = pino({ level: 'silent' })
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The demo, learned and published as it says, and typed sessions with it that the offline model answers. */
export async function demoSessions() {
  const fresh = await freshDatabase()
  const { databaseUrl } = fresh
  const home = await mkdtemp(join(tmpdir(), 'parley-answers-'))
  const { services, database, toolbox } = await compose({ databaseUrl, home, logger })
  const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
  const reflectionId = await learnDemo(databaseUrl, ownerId, database.reflections)

  /** A new session, in which these are said one after the other; gives what is answered. */
  const talk = async (audience: Audience, ...said: readonly string[]): Promise<readonly string[]> => {
    const reflection = await services.reflections.find(reflectionId)
    if (!reflection) throw new Error('there is no reflection')
    const who = { private: { personId: ownerId, role: 'owner' }, public: VISITOR } as const
    const request = { reflection, ...who[audience], audience, hints: {}, offRecord: false }
    const { sessionId } = await inTime(wait, (time) =>
      reflectionSessionsOf(services).start(request, 'text', time),
    )
    const answers: string[] = []
    for (const text of said) {
      await (
        await services.sessions.send(sessionId, text)
      ).ended
      answers.push(await lastAnswer(sessionId))
    }
    return answers
  }
  const lastAnswer = async (sessionId: SessionId) =>
    (await services.store.readTail(sessionId, 1))
      .flatMap(({ content }) => content)
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('')

  return {
    talk,
    sources: async () => (await services.reflections.sources(reflectionId, { limit: 100 })).items,
    async close() {
      await toolbox.close()
      await database.close()
      await fresh.drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

const VISITOR = { personId: 'per_visitor' as PersonId, role: 'guest' } as const

type Reflections = Awaited<ReturnType<typeof compose>>['database']['reflections']

async function learnDemo(databaseUrl: string, ownerId: PersonId, reflections: Reflections) {
  const demo = JSON.parse(await readFile(at('reflection.json'), 'utf8')) as DemoReflection
  const { displayName, creatorName, namespaces, sources } = demo
  const { id } = await reflections.create({ displayName, creatorName, ownerId, approval: 'by_rule' })
  for (const { name } of namespaces) await reflections.addNamespace(id, name, ownerId)
  for (const { file, title, namespace } of sources) {
    const fileName = file.split('/').at(-1) ?? file
    const added = { title, namespace, bytes: await readFile(at(file)), mediaType: '', fileName }
    await reflections.addSource(id, added, ownerId)
  }
  const worker = await startWorkerProcess({ databaseUrl, logger })
  await vi.waitFor(
    async () => {
      const { items } = await reflections.sources(id, { limit: 50 })
      const left = items.filter(({ state }) => state !== 'completed')
      if (left.length > 0) throw new Error(`not learned yet: ${JSON.stringify(left)}`)
    },
    { timeout: 120_000, interval: 100 },
  )
  await worker.stop()
  const published = namespaces.filter((one) => one.published).map(({ name }) => name)
  await reflections.publish(id, published, ownerId)
  const learning = openLearning({ databaseUrl })
  await rebuildVoice(id, learning.artifacts, sha256)
  await learning.close()
  return id
}
