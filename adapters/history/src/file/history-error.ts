import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { type ErrorCode, PlatformError } from '@parley/contracts'

interface FailureKind {
  readonly code: ErrorCode
  readonly reason: string
  readonly fix: string
}

const READ_ONLY: FailureKind = {
  code: 'history_read_only',
  reason: 'its folder or the file is read-only',
  fix: 'Let your user write to the folder and its files, or set PARLEY_HOME to a folder that can be written',
}

const FAILURE_KINDS: readonly (readonly [codes: RegExp, kind: FailureKind])[] = [
  [
    /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)/,
    {
      code: 'history_disk_full',
      reason: 'the disk is full',
      fix: 'Free some space, then try again. Earlier data is safe',
    },
  ],
  [/^(SQLITE_READONLY|EROFS)/, READ_ONLY],
  [
    /^(SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_AUTH|SQLITE_IOERR_SHMOPEN|EACCES|EPERM)/,
    {
      code: 'history_unwritable',
      reason: 'it cannot be opened or created',
      fix: 'Let your user read and write the folder and its files, or set PARLEY_HOME to another folder',
    },
  ],
  [
    /^ENOENT/,
    {
      code: 'history_unwritable',
      reason: 'its folder cannot be created',
      fix: 'Set PARLEY_HOME to another folder',
    },
  ],
  [
    /^(ENOTDIR|EEXIST|EISDIR|ENAMETOOLONG|ELOOP)/,
    { code: 'history_unwritable', reason: 'its folder is not a folder', fix: 'Set PARLEY_HOME to a folder' },
  ],
  [
    /^(SQLITE_BUSY|SQLITE_LOCKED)/,
    {
      code: 'history_in_use',
      reason: 'another program has locked it for too long',
      fix: 'Close the other program, then try again',
    },
  ],
  [
    /^(SQLITE_IOERR|EIO)/,
    {
      code: 'history_unwritable',
      reason: 'the disk reported an error',
      fix: 'Check the disk, and copy the file to another one',
    },
  ],
]

/** Turns an error of SQLite or the file system into a PlatformError; returns any other error unchanged. */
export function toHistoryError(error: unknown, path: string): unknown {
  if (error instanceof PlatformError) return error
  const code = getErrorCode(error)
  if (isDamage(error)) return createDamagedError(path, 'it fails its integrity check', { cause: error })
  const known = FAILURE_KINDS.find(([pattern]) => pattern.test(code))?.[1]
  if (!known) return error
  // For a read-only folder SQLite only reports that it cannot open a file there.
  const kind = known.code === 'history_unwritable' && isReadOnly(dirname(path)) ? READ_ONLY : known
  const message = `The history ${path} cannot be used: ${kind.reason} (${code}). ${kind.fix}.`
  return new PlatformError(kind.code, { path, message }, { cause: error })
}

export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(getErrorCode(error))

export const createDamagedError = (
  path: string,
  problem: string,
  {
    fix = 'Restore it from a copy, or move it away to start a new history',
    cause,
  }: { fix?: string; cause?: unknown } = {},
) =>
  new PlatformError(
    'history_damaged',
    { path, message: `The history ${path} is damaged: ${problem}. ${fix}. The file was not changed.` },
    { cause },
  )

export const createInUseError = (path: string) =>
  new PlatformError('history_in_use', {
    path,
    message: `Another Parley has the history ${path} open, so its key cannot be changed. Quit the other one (Ctrl-D at its prompt), then try again. Nothing was changed.`,
  })

/** For a missing folder, checks its nearest existing parent. */
function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' && dirname(folder) !== folder) return isReadOnly(dirname(folder))
    return ['EACCES', 'EPERM', 'EROFS'].includes(getErrorCode(error))
  }
}

const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
