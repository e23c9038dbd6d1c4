import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { quoted } from './quoted.ts'

const NAMES = ['.gitattributes', '.gitignore']
const MOST_FOLDERS = 5_000

/**
 * A file of rules that git would wait for without end, such as a pipe. Looked for where it is cheap: in the folders
 * of files that git follows, and in those at the top. For what lies elsewhere git has a limit of time.
 */
export async function oddRuleFile(root: string, tracked: readonly string[]): Promise<string | undefined> {
  const top = await readdir(root, { withFileTypes: true }).catch(() => [])
  const folders = new Set(['.', ...top.filter((entry) => entry.isDirectory()).map(({ name }) => name)])
  for (const path of tracked) {
    for (let at = dirname(path); at !== '.' && !folders.has(at); at = dirname(at)) folders.add(at)
    if (folders.size > MOST_FOLDERS) break
  }
  for (const folder of folders) {
    const found = await Promise.all(
      NAMES.map((name) => lstat(join(root, folder, name)).catch(() => undefined)),
    )
    const odd = found.findIndex(
      (each) => each && !each.isFile() && !each.isDirectory() && !each.isSymbolicLink(),
    )
    if (odd !== -1) return `${quoted(join(folder, NAMES[odd] ?? ''))} is neither a file nor a folder`
  }
  return undefined
}
