import Database from 'better-sqlite3-multiple-ciphers'
import { readFloorSql } from './floor-sql.ts'
import type { FloorMessage, FloorStore } from './floor-store.ts'
import { sqliteDurability } from './same-durability.ts'

export function openSqliteFloor(path: string): FloorStore {
  const sql = readFloorSql('sqlite.sql')
  const database = new Database(path)
  database.exec(sql('settings'))
  database.exec(sql('tables'))
  const insertSession = database.prepare<[string, string]>(sql('insert_session'))
  const insertMessage = database.prepare<[string, number, string, string, string]>(sql('insert_message'))
  const bumpSession = database.prepare<[number, string, string]>(sql('bump_session'))
  const countMessages = database.prepare<[string], { message_count: number }>(sql('count_messages'))
  const readTail = database.prepare<[string, number], object>(sql('read_tail'))
  const append = database.transaction(({ sessionId, sequenceNumber, role, content, at }: FloorMessage) => {
    insertMessage.run(sessionId, sequenceNumber, role, content, at)
    bumpSession.run(sequenceNumber, at, sessionId)
  })

  return {
    async insertSession(id, at) {
      insertSession.run(id, at)
    },
    async append(message) {
      append.immediate(message)
    },
    countMessages: async (sessionId) => countMessages.get(sessionId)?.message_count ?? 0,
    readTail: async (sessionId, limit) => readTail.all(sessionId, limit),
    durability: async () => sqliteDurability(database),
    async close() {
      database.close()
    },
  }
}
