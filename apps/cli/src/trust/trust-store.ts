import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import { computeSha256 } from '../compute-sha256.ts'
import { changeHomeFile } from '../config/edit-config-file.ts'

/** A project file as it was when the user trusted it. */
const TrustedFile = z.object({
  /** With its links resolved. */
  path: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  trustedAt: z.iso.datetime(),
})
export type TrustedFile = z.infer<typeof TrustedFile>

export type FileIdentity = Pick<TrustedFile, 'path' | 'sha256'>

const TrustFile = z.object({ files: z.array(TrustedFile) })

export async function readTrust(home: string): Promise<readonly TrustedFile[]> {
  const path = join(home, TRUST_FILE)
  const text = await readFile(path, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return undefined
    throw createUnreadableTrustError(path, failure)
  })
  return parseTrust(text, path)
}

export const isTrustedFile = (files: readonly TrustedFile[], { path, sha256 }: FileIdentity): boolean =>
  files.some((file) => file.path === path && file.sha256 === sha256)

/** Trusts these versions instead of earlier ones at the same paths. */
export async function trustFiles(home: string, trusted: readonly FileIdentity[]): Promise<void> {
  const trustedAt = new Date().toISOString()
  const paths = trusted.map(({ path }) => path)
  await changeTrust(home, (files) => [
    ...files.filter(({ path }) => !paths.includes(path)),
    ...trusted.map(({ path, sha256 }) => ({ path, sha256, trustedAt })),
  ])
}

/** Stops trusting these files and returns the paths that were trusted. */
export async function revokeTrust(
  home: string,
  isSelected: (path: string) => boolean,
): Promise<readonly string[]> {
  let revoked: readonly string[] = []
  await changeTrust(home, (files) => {
    revoked = files.map(({ path }) => path).filter(isSelected)
    return files.filter(({ path }) => !isSelected(path))
  })
  return revoked
}

const TRUST_FILE = 'trust.json'

const changeTrust = (home: string, change: (files: readonly TrustedFile[]) => readonly TrustedFile[]) =>
  changeHomeFile(home, TRUST_FILE, (text) => {
    const files = change(parseTrust(text, join(home, TRUST_FILE)))
    return `${JSON.stringify({ files }, undefined, 2)}\n`
  })

function parseTrust(text: string | undefined, path: string): readonly TrustedFile[] {
  if (text === undefined) return []
  try {
    return TrustFile.parse(JSON.parse(text)).files
  } catch (failure) {
    throw createUnreadableTrustError(path, failure)
  }
}

const createUnreadableTrustError = (path: string, cause: unknown) =>
  new PlatformError(
    'config_invalid',
    {
      message: `The list of trusted files, ${path}, cannot be read.`,
      fix: 'Fix it, or remove it and trust your files again with `parley trust`.',
      file: path,
    },
    { cause },
  )

/** Reads a file and returns its value with its path and hash. */
export async function readIdentified<T>(
  file: string,
  read: (file: string) => Promise<T>,
): Promise<{ readonly value: T; readonly identity: FileIdentity }> {
  // If it cannot be read, the error of `read` is better.
  const before = await readIdentity(file).catch(() => undefined)
  const value = await read(file)
  const identity = await readIdentity(file)
  if (before?.sha256 === identity.sha256) return { value, identity }
  throw new PlatformError('config_invalid', {
    message: `The file ${file} changed while it was read.`,
    fix: 'Try again.',
    file,
  })
}

async function readIdentity(file: string): Promise<FileIdentity> {
  const bytes = await readFile(file)
  return { path: await realpath(file), sha256: computeSha256(bytes) }
}
