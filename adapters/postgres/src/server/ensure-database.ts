import { Client } from 'pg'
import { codeOf } from './unavailable.ts'

const WRONG_PASSWORD = '28P01'
const ALREADY_THERE = ['42P04', '23505']
const GOING_DOWN = ['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET']

/** Makes the database `parley` if it is missing; the connection is to `postgres`, which is always there. */
export async function ensureDatabase(
  port: number,
  password: string,
): Promise<'there' | 'going-down' | 'password-refused'> {
  const client = new Client({ host: '127.0.0.1', port, user: 'parley', password, database: 'postgres' })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query(`select from pg_database where datname = 'parley'`)
    if (rowCount === 0) await client.query('create database parley')
    return 'there'
  } catch (error) {
    const code = codeOf(error)
    if (code && ALREADY_THERE.includes(code)) return 'there'
    if (code === WRONG_PASSWORD) return 'password-refused'
    // pg gives no code where the connection ends in the middle of something
    if (!code || GOING_DOWN.includes(code)) return 'going-down'
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}
