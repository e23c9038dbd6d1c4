import type { ReflectionId } from '@parley/contracts'
import { type Database, type Learning, openDatabase, openLearning } from '@parley/postgres'
import { Client } from 'pg'
import { PERSON } from './person.ts'

/** A new reflection, with the services that write and read it. */
export interface OpenKnowledge {
  readonly reflectionId: ReflectionId
  readonly database: Database
  readonly learning: Learning
  /** A connection as the tables' owner. */
  readonly owner: Client
  readonly close: () => Promise<void>
}

export async function openKnowledge(databaseUrl: string): Promise<OpenKnowledge> {
  const owner = new Client({ connectionString: databaseUrl })
  await owner.connect()
  await owner.query(`insert into people (id, label) values ($1, 'Bench') on conflict do nothing`, [PERSON])
  const database = await openDatabase({ databaseUrl })
  const learning = openLearning({ databaseUrl })
  const { id: reflectionId } = await database.reflections.create({ displayName: 'Ada Holm', ownerId: PERSON })
  return {
    reflectionId,
    database,
    learning,
    owner,
    async close() {
      await learning.close()
      await database.close()
      await owner.end()
    },
  }
}
