import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from './find-repository.ts'
import { quoted, quotedPart } from './quoted.ts'
import { smallText } from './small-text.ts'

/**
 * What a commit would write to that is not the repository's alone, if anything. Git follows links, appends to files
 * that have a second name elsewhere, and goes from a branch to the one that it stands for.
 */
export async function oddWrittenFile(
  { gitDir, commonDir }: Repository,
  ref: string,
): Promise<string | undefined> {
  const objects = join(commonDir, 'objects')
  const stores = (await readdir(objects).catch(() => [])).map((name) => join(objects, name))
  const names = ref.split('/')
  const ways = names.slice(0, -1).map((_, at) => names.slice(0, at + 1).join('/'))
  const folders = [
    join(gitDir, 'logs'),
    objects,
    ...stores,
    ...ways.flatMap((way) => [join(commonDir, way), join(commonDir, 'logs', way)]),
    join(commonDir, 'logs'),
  ]
  for (const folder of folders) {
    const found = await lstat(folder).catch(() => undefined)
    if (found && !found.isDirectory()) return `${quotedPart(commonDir, folder)} is a link or no folder`
  }
  const files = [
    ...['HEAD', 'index', 'logs/HEAD'].map((name) => join(gitDir, name)),
    ...[ref, `logs/${ref}`, 'packed-refs'].map((name) => join(commonDir, name)),
  ]
  for (const file of files.flatMap((each) => [each, `${each}.lock`])) {
    const found = await lstat(file).catch(() => undefined)
    if (found && !found.isFile()) return `${quotedPart(commonDir, file)} is a link or no file`
    if (found && found.nlink > 1)
      return `${quotedPart(commonDir, file)} is a hard link: it may be a file of somewhere else by another name`
  }
  const text = await smallText(join(commonDir, ref))
  return text?.startsWith('ref:') ? `the branch ${quoted(ref)} only stands for another one` : undefined
}
