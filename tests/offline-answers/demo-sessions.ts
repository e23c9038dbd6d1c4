import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audience, PersonId, SessionId } from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { freshDatabase } from '@parley/postgres/testing'
import { startInTime, rebuildVoice } from '@parley/reflections'
import { pino } from 'pino'
import { compose } from '../../apps/api/src/compose.ts'
import { sha256, wait } from '../../apps/api/src/node-host.ts'
import { composeReflectionSessions } from '../../apps/api/src/reflections/reflection-host.ts'
import { importDemo } from '../support/demo-reflection.ts'

const logger = pino({ level: 'silent' })

/** Typed sessions with the imported demo, answered by the offline model. */
export async function openDemoSessions() {
  const fresh = await freshDatabase()
  const { databaseUrl } = fresh
  const home = await mkdtemp(join(tmpdir(), 'parley-answers-'))
  const { services, database, toolbox } = await compose({ databaseUrl, home, logger })
  const ownerId = await database.tokens.ensureOwner({ tokenHash: Buffer.alloc(32, 7) })
  const { reflectionId } = await importDemo(databaseUrl, ownerId)
  const learning = openLearning({ databaseUrl })
  await rebuildVoice(reflectionId, learning.artifacts, sha256)
  await learning.close()

  /** Sends the messages in a new session, one after the other. Returns the answers. */
  const talk = async (audience: Audience, ...messages: readonly string[]): Promise<readonly string[]> => {
    const reflection = await services.reflections.find(reflectionId)
    if (!reflection) throw new Error('The reflection does not exist')
    const people = { private: { personId: ownerId, role: 'owner' }, public: VISITOR } as const
    const request = { reflection, ...people[audience], audience, hints: {}, offRecord: false }
    const { sessionId } = await startInTime(wait, (time) =>
      composeReflectionSessions(services).startTyped(request, time),
    )
    const answers: string[] = []
    for (const text of messages) {
      await (
        await services.sessions.send(sessionId, text)
      ).ended
      answers.push(await readLastAnswer(sessionId))
    }
    return answers
  }
  const readLastAnswer = async (sessionId: SessionId) =>
    (await services.store.readTail(sessionId, 1))
      .flatMap(({ content }) => content)
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('')

  return {
    talk,
    sources: async () => (await services.reflections.listSources(reflectionId, { limit: 100 })).items,
    async close() {
      await toolbox.close()
      await database.close()
      await fresh.drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

const VISITOR = { personId: 'per_visitor' as PersonId, role: 'guest' } as const
