import { createHmac } from 'node:crypto'
import { PlatformError } from '@parley/contracts'

/** The logins of our processes. The user of DATABASE_URL owns the tables and only migrates them. */
export const DATABASE_ROLES = [
  'parley_serving',
  'parley_learning',
  'parley_public',
  'parley_member',
  'parley_provider',
] as const
export type DatabaseRole = (typeof DATABASE_ROLES)[number]

/** The same database for one of our roles. The owner's own login is not in it. */
export function toRoleUrl(databaseUrl: string, role: DatabaseRole): string {
  const url = parseDatabaseUrl(databaseUrl)
  const login = { user: role, password: derivePassword(databaseUrl, role) }
  for (const name of ['user', 'password']) url.searchParams.delete(name)
  if (url.hostname === '') {
    // A socket URL can only have them in its query.
    for (const [name, value] of Object.entries(login)) url.searchParams.set(name, value)
  } else {
    url.username = login.user
    url.password = login.password
  }
  return url.href
}

/** The same for other programs such as psql, without parameters that only our clients know. */
export function toPsqlUrl(databaseUrl: string, role: DatabaseRole): string {
  const url = new URL(toRoleUrl(databaseUrl, role))
  url.searchParams.delete('require_auth')
  return url.href
}

/** The password of a role. */
export const derivePassword = (databaseUrl: string, role: DatabaseRole): string =>
  deriveKey(databaseUrl, role).toString('hex')

/** The key that encrypts messages between our processes. */
export const deriveRelayKey = (databaseUrl: string): Buffer => deriveKey(databaseUrl, 'relay of events')

/** The key that encrypts the voice provider's secrets. */
export const deriveSealingKey = (databaseUrl: string): Buffer =>
  deriveKey(databaseUrl, 'secrets of the provider')

/** The key that encrypts stored responses. */
export const deriveResponseKey = (databaseUrl: string): Buffer => deriveKey(databaseUrl, 'stored responses')

/** The key that derives the capabilities of public sessions and of limited members. */
export const deriveCapabilityKey = (databaseUrl: string): Buffer =>
  deriveKey(databaseUrl, 'capabilities of public sessions')

/** Derived from the password of DATABASE_URL, so that every process knows it and nothing is stored. */
function deriveKey(databaseUrl: string, purpose: string): Buffer {
  const { password, searchParams } = parseDatabaseUrl(databaseUrl)
  const key = searchParams.get('password') || password
  if (key) return createHmac('sha256', key).update(purpose).digest()
  throw new PlatformError('config_invalid', {
    message: `DATABASE_URL has no password. The passwords of ${DATABASE_ROLES.join(', ')} are derived from it, so give its user one: ${FORM}.`,
  })
}

/** Host, port and name, for people to read. */
export function describeDatabase(databaseUrl: string): string {
  const { host, pathname, searchParams } = parseDatabaseUrl(databaseUrl)
  return `${searchParams.get('host') ?? host}${pathname}`
}

const FORM = 'postgresql://USER:PASSWORD@HOST:PORT/DATABASE'

function parseDatabaseUrl(databaseUrl: string): URL {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined
  if (url && ['postgresql:', 'postgres:'].includes(url.protocol)) return url
  throw new PlatformError('config_invalid', {
    message: `DATABASE_URL is not the address of a Postgres database. Write it as ${FORM}, with %XX for special characters.`,
  })
}
