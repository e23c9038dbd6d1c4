import { Pool, type QueryResultRow } from 'pg'
import { readFloorSql } from './floor-sql.ts'
import type { FloorStore } from './floor-store.ts'
import { postgresDurability } from './same-durability.ts'

export async function openPostgresFloor(url: string): Promise<FloorStore> {
  const sql = readFloorSql('postgres.sql')
  const pool = new Pool({
    connectionString: url,
    keepAlive: true,
    max: 20,
    idleTimeoutMillis: 60_000,
    options: '-c plan_cache_mode=force_generic_plan',
  })
  // Ignore a lost idle connection: the next statement fails anyway.
  pool.on('error', () => {})
  const run = async <Row extends QueryResultRow>(
    statement: { name: string; text: string },
    values: unknown[],
  ) => (await pool.query<Row>({ ...statement, values })).rows
  const named = (name: string) => ({ name, text: sql(name) })
  const insertSession = named('insert_session')
  const appendMessage = named('append_message')
  const countMessages = named('count_messages')
  const readTail = named('read_tail')
  await pool.query(sql('tables'))

  return {
    async insertSession(id, at) {
      await run(insertSession, [id, at])
    },
    async append({ sessionId, sequenceNumber, role, content, at }) {
      await run(appendMessage, [sessionId, sequenceNumber, role, content, at])
    },
    async countMessages(sessionId) {
      const [row] = await run<{ message_count: number }>(countMessages, [sessionId])
      return row?.message_count ?? 0
    },
    readTail: (sessionId, limit) => run(readTail, [sessionId, limit]),
    durability: () => postgresDurability(pool),
    close: () => pool.end(),
  }
}
