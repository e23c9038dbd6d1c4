import { PlatformError } from '@parley/contracts'
import { describeDatabase } from './database-url.ts'

/** Turns an error of the driver or the server into a PlatformError; returns our own mistakes unchanged. */
export function toPlatformError(error: unknown, databaseUrl: string): unknown {
  if (error instanceof PlatformError) return error
  const code = getErrorCode(error) ?? ''
  const place = describeDatabase(databaseUrl)
  const text = error instanceof Error ? error.message : String(error)
  if (UNSTORABLE.includes(code)) {
    const message = 'A text contains a character that the database cannot store (U+0000 or a lone surrogate).'
    return new PlatformError('validation', { message }, { cause: error })
  }
  if (OUT_OF_RANGE.includes(code)) {
    const message = 'A number or a time is out of range for the database.'
    return new PlatformError('validation', { message }, { cause: error })
  }
  const hint = REFUSAL_HINTS[code]
  if (hint) {
    const message = `The database ${place} rejected the request: ${text}. ${hint}`
    return new PlatformError('config_invalid', { message }, { cause: error })
  }
  if (isUnavailable(code, text)) {
    const message = `The database ${place} does not answer (${text || code}). Check that Postgres runs there, or fix DATABASE_URL.`
    return new PlatformError('database_unavailable', { message }, { cause: error })
  }
  return error
}

const UNSTORABLE = ['22021', '22P05']
const OUT_OF_RANGE = ['22003', '22007', '22008']

const REFUSED_LOGIN =
  'Check user and password in DATABASE_URL, and run the migrations with it: they give our roles access.'

const REFUSAL_HINTS: Readonly<Record<string, string>> = {
  '28000': REFUSED_LOGIN,
  '28P01': REFUSED_LOGIN,
  '3D000': 'Create that database, or fix DATABASE_URL.',
  '42501':
    'Migrations need a user that owns the database and may create roles (CREATEROLE); everything else needs a migrated database.',
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

function isUnavailable(code: string, text: string): boolean {
  return (
    SERVER_CODES.test(code) ||
    SOCKET_CODES.includes(code) ||
    DRIVER_MESSAGES.some((message) => text.startsWith(message))
  )
}

const HOME_HINT =
  'Set PARLEY_HOME to a folder that can be written, or DATABASE_URL to a Postgres server of your own.'

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it cannot be created there',
  EEXIST: 'a file is in the way',
  ENOTDIR: 'a part of that path is a file',
}

export function createUnavailableError(message: string, cause?: unknown): PlatformError {
  return new PlatformError('database_unavailable', { message }, { cause })
}

/** Turns a file system error into a PlatformError; returns any other error unchanged. */
export function toHomeError(home: string, error: unknown): unknown {
  const code = getErrorCode(error)
  if (error instanceof PlatformError || !code) return error
  const reason = FILE_ERRORS[code] ?? String(error)
  return createUnavailableError(
    `The bundled Postgres cannot use the folder ${home}: ${reason}. ${HOME_HINT}`,
    error,
  )
}

/** Postgres reports this code for a row whose key exists. */
export const UNIQUE_VIOLATION = '23505'

/** The code of an error of the driver, the server or the file system. */
export function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** The error output of a Postgres program, without its progress reports. */
export function extractComplaints(output: string): string {
  const lines = output.trim().split('\n')
  const complaints = lines.filter((line) => /\b(error|fatal|panic|detail|hint|could not)\b/i.test(line))
  return (complaints.length > 0 ? complaints : lines).slice(-5).join('\n')
}
