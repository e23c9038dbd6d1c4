import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { changeHomeFile } from '../config/change-home-file.ts'

/** A file that came with a project, as the person saw it when they trusted it. */
const TrustedFile = z.object({
  /** With its links resolved. */
  path: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  trustedAt: z.iso.datetime(),
})
export type TrustedFile = z.infer<typeof TrustedFile>

/** Exact bytes at a path. */
export type FileIdentity = Pick<TrustedFile, 'path' | 'sha256'>

const TrustFile = z.object({ files: z.array(TrustedFile) })

export async function readTrust(home: string): Promise<readonly TrustedFile[]> {
  const path = join(home, NAME)
  const text = await readFile(path, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return undefined
    throw broken(path, failure)
  })
  return parse(text, path)
}

export const isTrusted = (files: readonly TrustedFile[], { path, sha256 }: FileIdentity): boolean =>
  files.some((file) => file.path === path && file.sha256 === sha256)

/** Trusts these bytes in place of any that were trusted at the same path. */
export async function trustFiles(home: string, trusted: readonly FileIdentity[]): Promise<void> {
  const trustedAt = new Date().toISOString()
  const paths = trusted.map(({ path }) => path)
  await changeTrust(home, (files) => [
    ...files.filter(({ path }) => !paths.includes(path)),
    ...trusted.map(({ path, sha256 }) => ({ path, sha256, trustedAt })),
  ])
}

/** Trusts none of these any more, and gives the paths that had been. */
export async function revokeTrust(
  home: string,
  isMeant: (path: string) => boolean,
): Promise<readonly string[]> {
  let revoked: readonly string[] = []
  await changeTrust(home, (files) => {
    revoked = files.map(({ path }) => path).filter(isMeant)
    return files.filter(({ path }) => !isMeant(path))
  })
  return revoked
}

const NAME = 'trust.json'

const changeTrust = (home: string, change: (files: readonly TrustedFile[]) => readonly TrustedFile[]) =>
  changeHomeFile(home, NAME, (text) => {
    const files = change(parse(text, join(home, NAME)))
    return `${JSON.stringify({ files }, undefined, 2)}\n`
  })

function parse(text: string | undefined, path: string): readonly TrustedFile[] {
  if (text === undefined) return []
  try {
    return TrustFile.parse(JSON.parse(text)).files
  } catch (failure) {
    throw broken(path, failure)
  }
}

const broken = (path: string, cause: unknown) =>
  new PlatformError(
    'config_invalid',
    {
      message: `The list of trusted files, ${path}, cannot be read.`,
      mend: 'Mend it, or remove it: then nothing is trusted, and `parley trust` asks again.',
      file: path,
    },
    { cause },
  )
