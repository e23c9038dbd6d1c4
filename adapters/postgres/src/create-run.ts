import type { Pool, QueryResultRow } from 'pg'
import { asPlatformError } from './login/database-error.ts'
import type { Run, Statement } from './queries.ts'

export function createRun(pool: Pool, databaseUrl: string): Run {
  return async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[] = []) => {
    try {
      const { rows } = await pool.query<Row>({ ...statement, values: [...values] })
      return rows
    } catch (error) {
      throw asPlatformError(error, databaseUrl)
    }
  }
}
