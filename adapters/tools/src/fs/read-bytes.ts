import { hash } from 'node:crypto'
import { type Stats, constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { getSystemErrorCode } from './paths.ts'
import { isStillAt } from './open-folder.ts'
import type { FileScope } from './open-scope.ts'

export type ReadBytesResult =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly stat: Stats }
  | UnopenedFile
  | { readonly kind: 'large'; readonly reason: string }

/** Reads a whole file, if it is not too large. */
export async function readBytes(
  scope: FileScope,
  path: string,
  most: number,
  signal: AbortSignal,
): Promise<ReadBytesResult> {
  const opened = await openFile(scope, path)
  if (opened.kind !== 'opened') return opened
  const { handle, stat } = opened
  try {
    if (stat.size > most) return { kind: 'large', reason: describeTooLarge(stat.size, most) }
    const parts: Buffer[] = []
    let size = 0
    // A file may grow while it is read, so its size is checked again.
    for (;;) {
      signal.throwIfAborted()
      const room = Math.min(CHUNK_BYTES, Math.max(stat.size - size, 0) + 1)
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(room) })
      if (bytesRead === 0) break
      size += bytesRead
      if (size > most) return { kind: 'large', reason: describeTooLarge(size, most) }
      parts.push(buffer.subarray(0, bytesRead))
    }
    const bytes = Buffer.concat(parts)
    return { kind: 'read', bytes, stat }
  } finally {
    await handle.close()
  }
}

export const sha256 = (data: Uint8Array | string): string => hash('sha256', data)

const CHUNK_BYTES = 1_048_576

const describeTooLarge = (size: number, most: number): string =>
  `is ${formatMegabytes(size)} large; at most ${formatMegabytes(most)} are read. search_files finds lines in smaller files`

const formatMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

type OpenedFile =
  | { readonly kind: 'opened'; readonly handle: FileHandle; readonly stat: Stats }
  | UnopenedFile

interface UnopenedFile {
  readonly kind: 'absent' | 'folder' | 'forbidden' | 'failed'
  /** Follows the file's name: "is a folder". */
  readonly reason: string
}

/** Opens a regular file to read. The checks run on the opened file, so a replacement is not read. */
async function openFile(scope: FileScope, path: string): Promise<OpenedFile> {
  const forbidden = scope.findRefusal(path, 'read')
  if (forbidden !== undefined) return { kind: 'forbidden', reason: forbidden }
  let handle: FileHandle | undefined
  try {
    // Opening a device may have side effects.
    const before = refuseIrregular(await lstat(path))
    if (before) return before
    handle = await open(path, READ_FLAGS)
    const stat = await handle.stat()
    const refused = refuseIrregular(stat) ?? (await refuseLinked(stat, scope))
    if (!refused && (await isStillAt(handle, path))) return { kind: 'opened', handle, stat }
    await handle.close()
    return refused ?? MOVED
  } catch (failure) {
    await handle?.close().catch(() => undefined)
    return toUnopened(getSystemErrorCode(failure))
  }
}

// Do not wait for a pipe without a writer.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const MOVED: UnopenedFile = {
  kind: 'forbidden',
  reason: 'was moved or replaced while it was being opened, so it was left alone. Try again',
}

function refuseIrregular(stat: Stats): UnopenedFile | undefined {
  if (stat.isFile()) return undefined
  if (stat.isDirectory()) return { kind: 'folder', reason: 'is a folder; list_directory shows its entries' }
  if (stat.isSymbolicLink()) return MOVED
  return { kind: 'forbidden', reason: 'is a device, a pipe or a socket, not a file' }
}

async function refuseLinked(stat: Stats, scope: FileScope): Promise<UnopenedFile | undefined> {
  const reason = await scope.findLinkedRefusal(stat)
  return reason === undefined ? undefined : { kind: 'forbidden', reason }
}

function toUnopened(code: string): UnopenedFile {
  if (code === 'ENOENT') return { kind: 'absent', reason: 'does not exist' }
  if (code === 'ELOOP') return MOVED
  if (code === 'EACCES' || code === 'EPERM') return { kind: 'failed', reason: 'may not be opened by Parley' }
  return { kind: 'failed', reason: `could not be opened (${code})` }
}
