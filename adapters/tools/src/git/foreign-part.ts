import type { Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isWithin } from '../fs/is-within.ts'
import { quoted, quotedPart } from './quoted.ts'
import { smallText } from './small-text.ts'

/**
 * What of a repository is not its own, if anything: git follows links that file tools would refuse, and waits for
 * pipes. Where all may be reached, links may lead anywhere.
 */
export async function foreignPart(
  { gitDir, commonDir }: { readonly gitDir: string; readonly commonDir: string },
  root: string,
): Promise<string | undefined> {
  const parts = [...OWN.map((name) => join(gitDir, name)), ...SHARED.map((name) => join(commonDir, name))]
  return (
    (await oddOne(parts, root, commonDir)) ??
    (await oddOne(await branchFiles(gitDir, commonDir), root, commonDir)) ??
    (await foreignObjects(join(commonDir, 'objects'), root))
  )
}

const OWN = ['HEAD', 'index', 'logs', 'logs/HEAD', 'commondir', 'gitdir']
const INFO = ['info', 'info/exclude', 'info/attributes']
const SHARED = ['config', 'refs', 'packed-refs', 'logs', 'logs/refs', 'shallow', ...INFO]

async function oddOne(
  paths: readonly string[],
  root: string,
  commonDir: string,
): Promise<string | undefined> {
  for (const path of paths) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink() && root !== '/') return `${quotedPart(commonDir, path)} is a link`
    const reached = found?.isSymbolicLink() ? await stat(path).catch(() => undefined) : found
    if (reached && !isPlain(reached)) return `${quotedPart(commonDir, path)} is neither a file nor a folder`
  }
  return undefined
}

const isPlain = (found: Stats): boolean => found.isFile() || found.isDirectory()

/** The files of the branch that is checked out, and the folders on the way to them. */
async function branchFiles(gitDir: string, commonDir: string): Promise<readonly string[]> {
  const [, ref = ''] = /^ref: (\S+)/.exec((await smallText(join(gitDir, 'HEAD'))) ?? '') ?? []
  const names = ref.split('/')
  const ways = names.map((_, at) => names.slice(0, at + 1).join('/'))
  return ways.flatMap((way) => [join(commonDir, way), join(commonDir, 'logs', way)])
}

/** How deep git itself follows stores that borrow from others. */
const DEEPEST = 5

async function foreignObjects(objects: string, root: string, depth = 0): Promise<string | undefined> {
  for (const folder of [objects, join(objects, 'pack'), join(objects, 'info')]) {
    const entries = await readdir(folder).catch(() => [])
    const odd = await oddOne([folder, ...entries.map((name) => join(folder, name))], root, dirname(objects))
    if (odd !== undefined) return odd
  }
  if (root === '/') return undefined
  const alternates = (await smallText(join(objects, 'info', 'alternates'))) ?? ''
  for (const line of alternates.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const other = await realpath(resolve(objects, line)).catch(() => undefined)
    if (other === undefined) continue
    if (depth >= DEEPEST || !isWithin(other, root))
      return `it borrows objects from ${quoted(other)}, which this session does not reach`
    const foreign = await foreignObjects(other, root, depth + 1)
    if (foreign !== undefined) return foreign
  }
  return undefined
}
