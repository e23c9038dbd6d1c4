import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { type ErrorCode, PlatformError } from '@parley/contracts'

interface Kind {
  readonly code: ErrorCode
  readonly why: string
  readonly mend: string
}

const READ_ONLY: Kind = {
  code: 'history_read_only',
  why: 'its folder or the file can only be read',
  mend: 'Let your user write to the folder and to what is in it, or set PARLEY_HOME to a folder that can be written',
}

const KINDS: readonly (readonly [codes: RegExp, kind: Kind])[] = [
  [
    /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)/,
    {
      code: 'history_disk_full',
      why: 'the disk is full',
      mend: 'Make room on it, then try again. What was kept before is safe',
    },
  ],
  [/^(SQLITE_READONLY|EROFS)/, READ_ONLY],
  [
    /^(SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_AUTH|SQLITE_IOERR_SHMOPEN|EACCES|EPERM)/,
    {
      code: 'history_unwritable',
      why: 'it cannot be opened or made',
      mend: 'Let your user read and write the folder and what is in it, or set PARLEY_HOME to another folder',
    },
  ],
  [
    /^ENOENT/,
    {
      code: 'history_unwritable',
      why: 'its folder cannot be made',
      mend: 'Set PARLEY_HOME to another folder',
    },
  ],
  [
    /^(ENOTDIR|EEXIST|EISDIR|ENAMETOOLONG|ELOOP)/,
    { code: 'history_unwritable', why: 'its folder is not a folder', mend: 'Set PARLEY_HOME to a folder' },
  ],
  [
    /^(SQLITE_BUSY|SQLITE_LOCKED)/,
    {
      code: 'history_in_use',
      why: 'another program has held it for too long',
      mend: 'Close the other program, then try again',
    },
  ],
  [
    /^(SQLITE_IOERR|EIO)/,
    {
      code: 'history_unwritable',
      why: 'the disk did not do as asked',
      mend: 'Look after the disk and copy the file to another',
    },
  ],
]

/** What went wrong in SQLite or with files, in our words; anything else stays as it is. */
export function historyError(error: unknown, path: string): unknown {
  if (error instanceof PlatformError) return error
  const code = codeOf(error)
  if (isDamage(error)) return damaged(path, 'what is in it is not what was written', { cause: error })
  const known = KINDS.find(([pattern]) => pattern.test(code))?.[1]
  if (!known) return error
  // SQLite says of a folder that it cannot write to only that it cannot open what it would put there.
  const kind = known.code === 'history_unwritable' && isReadOnly(dirname(path)) ? READ_ONLY : known
  const message = `The history ${path} cannot be used: ${kind.why} (${code}). ${kind.mend}.`
  return new PlatformError(kind.code, { path, message }, { cause: error })
}

export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))

export const damaged = (
  path: string,
  how: string,
  {
    mend = 'Restore it from a copy, or move it away to start anew',
    cause,
  }: { mend?: string; cause?: unknown } = {},
) =>
  new PlatformError(
    'history_damaged',
    { path, message: `The history ${path} is damaged: ${how}. ${mend}. The file was not changed.` },
    { cause },
  )

export const inUse = (path: string) =>
  new PlatformError('history_in_use', {
    path,
    message: `Another Parley has the history ${path} open, and its key can only be changed while nobody has. Leave the other one (Ctrl-D at its prompt), then try again. Nothing was changed.`,
  })

/** Of a folder that is not there, the nearest that is. */
function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && dirname(folder) !== folder) return isReadOnly(dirname(folder))
    return ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
