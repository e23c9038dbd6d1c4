import type { Pool, QueryResultRow } from 'pg'
import { asPlatformError } from '../login/database-error.ts'
import type { Run, Statement } from '../queries.ts'

/** Runs the work in one transaction: all of it is kept, or nothing. */
export type Transact = <Outcome>(work: (run: Run) => Promise<Outcome>) => Promise<Outcome>

export function createTransact(pool: Pool, databaseUrl: string): Transact {
  return async (work) => {
    try {
      const client = await pool.connect()
      const run: Run = async <Row extends QueryResultRow>(
        statement: Statement,
        values: readonly unknown[] = [],
      ) => (await client.query<Row>({ ...statement, values: [...values] })).rows
      try {
        await client.query('begin')
        const outcome = await work(run)
        await client.query('commit')
        client.release()
        return outcome
      } catch (error) {
        const undone = await client.query('rollback').catch((cause: unknown) => ({ cause }))
        // A connection that cannot even roll back is of no use to the next one.
        client.release('cause' in undone)
        throw error
      }
    } catch (error) {
      throw asPlatformError(error, databaseUrl)
    }
  }
}

/** Runs the work as a member who does not reach everything: what their capability does not open is not there. */
export type TransactMember = (capability: Uint8Array) => Transact

export const createTransactMember =
  (transact: Transact): TransactMember =>
  (capability) =>
  (work) =>
    transact(async (within) => {
      await within(SET_REACH, [Buffer.from(capability).toString('hex')])
      return work(within)
    })

const SET_REACH = { name: 'set_reach', text: `select set_config('parley.scope', $1, true)` }

/** Looks at one moment, whatever changes meanwhile, and changes nothing. */
export const lookWithin = <Seen>(transact: Transact, look: (run: Run) => Promise<Seen>): Promise<Seen> =>
  transact(async (within) => {
    await within(ONE_SNAPSHOT)
    return look(within)
  })

const ONE_SNAPSHOT = {
  name: 'one_snapshot',
  text: 'set transaction isolation level repeatable read, read only',
}
