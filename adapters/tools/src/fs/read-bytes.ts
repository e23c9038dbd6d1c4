import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type NotOpened, openFile } from './open-file.ts'
import type { Scope } from './open-scope.ts'

export type ReadBytes =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly stat: Stats }
  | NotOpened
  | { readonly kind: 'large'; readonly why: string }

/** All of a file, if it is not larger than that. */
export async function readBytes(
  scope: Scope,
  path: string,
  most: number,
  signal: AbortSignal,
): Promise<ReadBytes> {
  const opened = await openFile(scope, path)
  if (opened.kind !== 'opened') return opened
  const { handle, stat } = opened
  try {
    if (stat.size > most) return { kind: 'large', why: tooLarge(stat.size, most) }
    const parts: Buffer[] = []
    let size = 0
    // A file may grow while it is read, so its size alone is no bound.
    for (;;) {
      signal.throwIfAborted()
      const room = Math.min(CHUNK, Math.max(stat.size - size, 0) + 1)
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(room) })
      if (bytesRead === 0) break
      size += bytesRead
      if (size > most) return { kind: 'large', why: tooLarge(size, most) }
      parts.push(buffer.subarray(0, bytesRead))
    }
    const bytes = Buffer.concat(parts)
    return { kind: 'read', bytes, stat }
  } finally {
    await handle.close()
  }
}

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

const CHUNK = 1_048_576

const tooLarge = (size: number, most: number): string =>
  `is ${inMegabytes(size)} large; at most ${inMegabytes(most)} are read. search_files finds lines in smaller files`

const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
