import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ReflectionId, type SessionEvent, SessionView, Source } from '@parley/contracts'
import { pino } from 'pino'
import { compose, type ComposedServices } from '../compose.ts'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { learn, rebuild } from '../testing/learn.ts'
import { framesOf, sendMessage } from '../testing/test-api.ts'

type KnowledgeApi = Awaited<ReturnType<typeof knowledgeApi>>

/** The whole API with a reflection that has learned something, and a way to type with it. */
export const typedApi = async () => typedApiOn(await knowledgeApi())

/** The same on an API that runs already, and has other reflections as well. */
export async function typedApiOn(api: KnowledgeApi, displayName = 'Ada Winter', creatorName?: string) {
  const { id: reflectionId } = await api.reflection(displayName)
  if (creatorName !== undefined)
    await api.call('PATCH', `/reflections/${reflectionId}`, { body: { creatorName } })
  const tokens = await api.members(reflectionId)

  const tell = async (namespace: string, title: string, text: string) => {
    await api.call('POST', `/reflections/${reflectionId}/namespaces`, { body: { name: namespace } })
    const body = { title, namespace, text }
    const { answer } = await api.call('POST', `/reflections/${reflectionId}/sources`, { body })
    await learn(api.databaseUrl, Source.parse(answer).id)
  }
  const start = (body: object, token = api.ownerToken) =>
    api.call('POST', '/sessions', { token, body: { channel: 'text', reflectionId, ...body } })
  const started = async (body: object = {}, token = api.ownerToken) =>
    SessionView.parse((await start(body, token)).answer).sessionId

  const read = async (path: string, token = api.ownerToken) => {
    const response = await fetch(`${api.url}/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, text: await response.text() }
  }
  /** What happens when somebody says this. */
  const say = async (
    sessionId: string,
    text: string,
    token = api.ownerToken,
  ): Promise<readonly SessionEvent[]> => {
    const response = await sendMessage(api.url, { sessionId, token, text })
    if (!response.ok) throw new Error(await response.text())
    return (await framesOf(response)).map(({ event }) => event)
  }

  const closing: (() => Promise<void>)[] = []
  /** What another process on the same database has. */
  const composed = async (): Promise<ComposedServices> => {
    const home = await mkdtemp(join(tmpdir(), 'parley-typed-'))
    const made = await compose({ databaseUrl: api.databaseUrl, home, logger: pino({ level: 'silent' }) })
    closing.push(async () => {
      await made.toolbox.close()
      await made.database.close()
      await rm(home, { recursive: true, force: true })
    })
    return made
  }
  const dispose = async () => {
    for (const close of closing) await close()
    await api[Symbol.asyncDispose]()
  }

  return {
    ...api,
    reflectionId,
    admin: tokens['admin'] ?? '',
    operator: tokens['operator'] ?? '',
    viewer: tokens['viewer'] ?? '',
    tell,
    rebuild: (id: ReflectionId = reflectionId) => rebuild(api.databaseUrl, id),
    start,
    started,
    read,
    say,
    composed,
    dispose,
  }
}

/** The text of the answer. */
export const answerIn = (events: readonly SessionEvent[]): string =>
  events.flatMap((event) => (event.type === 'agent:token' ? [event.token] : [])).join('')

export const resultsIn = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'agent:tool_result' ? [event.outcome] : []))
