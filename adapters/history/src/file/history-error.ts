import { PlatformError } from '@parley/contracts'

const UNWRITABLE: readonly (readonly [code: RegExp, why: string, mend: string])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'the disk is full', 'Make room, then try again'],
  [
    /^(SQLITE_READONLY|EROFS)/,
    'it can be read only',
    'Let the folder and the file be written, or set PARLEY_HOME',
  ],
  [
    /^(SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_AUTH|EACCES|EPERM)/,
    'it cannot be opened or made',
    'Let your user read and write the folder and what is in it, or set PARLEY_HOME',
  ],
  [
    /^(ENOTDIR|EEXIST|EISDIR|ENAMETOOLONG|ELOOP)/,
    'its folder is not a folder',
    'Set PARLEY_HOME to a folder',
  ],
  [
    /^(SQLITE_BUSY|SQLITE_LOCKED)/,
    'another program has held it for too long',
    'Close the other program, then try again',
  ],
  [/^(SQLITE_IOERR|EIO)/, 'the disk did not do as asked', 'Look after the disk and copy the file to another'],
]

/** What went wrong in SQLite or with files, in our words; anything else stays as it is. */
export function historyError(error: unknown, path: string): unknown {
  if (error instanceof PlatformError) return error
  const code = codeOf(error)
  if (isDamage(error)) return damaged(path, 'what is in it is not what was written', error)
  const known = UNWRITABLE.find(([pattern]) => pattern.test(code))
  if (!known) return error
  const [, why, mend] = known
  const message = `The history ${path} cannot be written: ${why} (${code}). ${mend}.`
  return new PlatformError('history_unwritable', { path, message }, { cause: error })
}

export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))

export const damaged = (path: string, how: string, cause?: unknown) =>
  new PlatformError(
    'history_damaged',
    {
      path,
      message: `The history ${path} is damaged: ${how}. Restore it from a copy, or move it away to start anew. The file was not changed.`,
    },
    { cause },
  )

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
