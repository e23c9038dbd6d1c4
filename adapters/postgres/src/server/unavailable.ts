import { PlatformError } from '@parley/contracts'

const WAYS_OUT =
  'Set PARLEY_HOME to a folder that can be written, or DATABASE_URL to a Postgres server of your own.'

const BY_CODE: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it cannot be made there',
  EEXIST: 'a file is in the way',
  ENOTDIR: 'a part of that path is a file',
}

export function unavailable(message: string, cause?: unknown): PlatformError {
  return new PlatformError('database_unavailable', { message }, { cause })
}

/** A sentence for what the file system refused; any other error stays what it is. */
export function unusableHome(home: string, error: unknown): unknown {
  const code = codeOf(error)
  if (error instanceof PlatformError || !code) return error
  const why = BY_CODE[code] ?? String(error)
  return unavailable(`The bundled Postgres cannot use the folder ${home}: ${why}. ${WAYS_OUT}`, error)
}

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** What a program of Postgres said before it gave up, without its progress reports. */
export function complaint(output: string): string {
  const lines = output.trim().split('\n')
  const complaints = lines.filter((line) => /\b(error|fatal|panic|detail|hint|could not)\b/i.test(line))
  return (complaints.length > 0 ? complaints : lines).slice(-5).join('\n')
}
