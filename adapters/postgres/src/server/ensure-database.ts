import { GuardedClient } from '../login/guarded-client.ts'
import { bundledUrl } from './bundled-url.ts'
import { closeOff } from './close-off.ts'
import { codeOf, unavailable } from './unavailable.ts'

const WRONG_PASSWORD = '28P01'
const ALREADY_THERE = ['42P04', '23505']
const GOING_DOWN = ['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET']

/** Makes the database `parley` if it is missing; the connection is to `postgres`, where nobody else gets in. */
export async function ensureDatabase(
  port: number,
  password: string,
): Promise<'there' | 'going-down' | 'password-refused'> {
  const client = new GuardedClient({
    connectionString: bundledUrl({ port, password }, 'postgres'),
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await closeOff(client)
    const { rowCount } = await client.query(`select from pg_database where datname = 'parley'`)
    if (rowCount === 0) await client.query('create database parley')
    return 'there'
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (ALREADY_THERE.includes(code)) return 'there'
    if (code === WRONG_PASSWORD) return 'password-refused'
    if (GOING_DOWN.includes(code) || isCutOff(error)) return 'going-down'
    throw unavailable(`The bundled Postgres runs, but its database cannot be opened: ${String(error)}`, error)
  } finally {
    await client.end().catch(() => {})
  }
}

// pg gives this one no code.
const isCutOff = (error: unknown) =>
  error instanceof Error && error.message.startsWith('Connection terminated unexpectedly')
