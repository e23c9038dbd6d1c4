import { constants, type Stats } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { errorCodeOf } from './error-code-of.ts'
import { isStillAt } from './is-still-at.ts'
import type { Scope } from './open-scope.ts'

export type OpenedFile =
  | { readonly kind: 'opened'; readonly handle: FileHandle; readonly stat: Stats }
  | NotOpened

export interface NotOpened {
  readonly kind: 'absent' | 'folder' | 'forbidden' | 'failed'
  /** Goes on from the file's name: "is a folder". */
  readonly why: string
}

/** Opens a regular file to read. What was opened is what is checked: nothing put in its place meanwhile is read. */
export async function openFile(scope: Scope, path: string): Promise<OpenedFile> {
  const forbidden = scope.forbids(path, 'read')
  if (forbidden !== undefined) return { kind: 'forbidden', why: forbidden }
  let handle: FileHandle | undefined
  try {
    // To open a device may already do something.
    const before = notAFile(await lstat(path))
    if (before) return before
    handle = await open(path, FLAGS)
    const stat = await handle.stat()
    const refused = notAFile(stat) ?? (await otherName(stat, scope))
    if (!refused && (await isStillAt(handle, path))) return { kind: 'opened', handle, stat }
    await handle.close()
    return refused ?? MOVED
  } catch (failure) {
    await handle?.close().catch(() => undefined)
    return notOpened(errorCodeOf(failure))
  }
}

// A pipe without a writer must not keep us waiting.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const MOVED: NotOpened = {
  kind: 'forbidden',
  why: 'was moved or replaced while it was being opened, so it was left alone. Try again',
}

function notAFile(stat: Stats): NotOpened | undefined {
  if (stat.isFile()) return undefined
  if (stat.isDirectory()) return { kind: 'folder', why: 'is a folder; list_directory shows what it holds' }
  if (stat.isSymbolicLink()) return MOVED
  return { kind: 'forbidden', why: 'is a device, a pipe or a socket, and no file' }
}

async function otherName(stat: Stats, scope: Scope): Promise<NotOpened | undefined> {
  const why = await scope.forbidsLinked(stat)
  return why === undefined ? undefined : { kind: 'forbidden', why }
}

function notOpened(code: string): NotOpened {
  if (code === 'ENOENT') return { kind: 'absent', why: 'does not exist' }
  if (code === 'ELOOP') return MOVED
  if (code === 'EACCES' || code === 'EPERM') return { kind: 'failed', why: 'may not be opened by Parley' }
  return { kind: 'failed', why: `could not be opened (${code})` }
}
