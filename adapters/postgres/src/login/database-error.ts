import { PlatformError } from '@parley/contracts'
import { codeOf } from '../server/unavailable.ts'
import { placeOf } from './database-url.ts'

/** An error of the driver or the server in our terms; one that is a fault of ours stays as it is. */
export function asPlatformError(error: unknown, databaseUrl: string): unknown {
  if (error instanceof PlatformError) return error
  const code = codeOf(error) ?? ''
  const place = placeOf(databaseUrl)
  const said = error instanceof Error ? error.message : String(error)
  if (UNSTORABLE.includes(code)) {
    const message = 'A name holds a character that the database cannot keep (U+0000, or half of a pair).'
    return new PlatformError('validation', { message }, { cause: error })
  }
  if (OUT_OF_RANGE.includes(code)) {
    const message = 'A number or a time is beyond what the database can keep.'
    return new PlatformError('validation', { message }, { cause: error })
  }
  const remedy = REFUSALS[code]
  if (remedy) {
    const message = `The database ${place} refuses us: ${said}. ${remedy}`
    return new PlatformError('config_invalid', { message }, { cause: error })
  }
  if (isUnavailable(code, said)) {
    const message = `The database ${place} does not answer (${said || code}). Check that Postgres runs there, or mend DATABASE_URL.`
    return new PlatformError('database_unavailable', { message }, { cause: error })
  }
  return error
}

const UNSTORABLE = ['22021', '22P05']
const OUT_OF_RANGE = ['22003', '22007', '22008']

const REFUSED_LOGIN =
  'Check user and password in DATABASE_URL, and run the migrations with it: they let our roles in.'

const REFUSALS: Readonly<Record<string, string>> = {
  '28000': REFUSED_LOGIN,
  '28P01': REFUSED_LOGIN,
  '3D000': 'Create that database, or mend DATABASE_URL.',
  '42501':
    'Migrations need a user that owns the database and may create roles (CREATEROLE); all else needs the migrations to have run.',
}

// Classes 08, 53 and 57: connection lost, out of resources, going down or out of time.
const SERVER_CODES = /^(08|53|57)...$/
const SOCKET_CODES = [
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]

// pg gives these no code.
const DRIVER_MESSAGES = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end',
  'SASL: ',
  'timeout expired',
  'timeout exceeded when trying to connect',
]

function isUnavailable(code: string, said: string): boolean {
  return (
    SERVER_CODES.test(code) ||
    SOCKET_CODES.includes(code) ||
    DRIVER_MESSAGES.some((message) => said.startsWith(message))
  )
}
