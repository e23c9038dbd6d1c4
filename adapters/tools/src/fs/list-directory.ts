import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { ListDirectoryInput, toolInput } from '@parley/contracts'
import { refuse, type Tool } from '@parley/engine'
import type { FileHost } from './file-host.ts'
import { type IgnoreRules, ignoreRules } from './ignore-rules.ts'
import { noSuchFile } from './no-such-file.ts'
import type { Place, Scope } from './open-scope.ts'
import { printablePath } from './printable-path.ts'
import { type Entry, readDetails, readFolder } from './read-folder.ts'

const MOST_ENTRIES = 2_000

export const listDirectory = (host: FileHost): Tool<ListDirectoryInput> => ({
  name: 'list_directory',
  description:
    'Lists a folder: kind, path and size of each entry, folders first. With depth it lists folders within it too, but not what .gitignore leaves out.',
  input: toolInput(ListDirectoryInput),
  mayRepeat: true,
  async plan({ path = '.', depth = 1 }) {
    const scope = await host.openScope()
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(path, 'read')
    if (place.kind === 'refused') return place
    if (place.missing.length > 0) return noSuchFile(scope, place)
    const found = await stat(place.path).catch(() => undefined)
    if (found?.isDirectory() === false)
      return refuse(`${place.shown} is no folder; read_file reads files.`, 'tool_failed', place.shown)
    return {
      kind: 'plan',
      target: place.shown,
      origin: `the folder ${place.shown}`,
      carryOut: async (signal) => ({ kind: 'ok', text: await list(scope, place, depth, signal) }),
    }
  },
})

async function list(scope: Scope, { path: top }: Place, depth: number, signal: AbortSignal): Promise<string> {
  const lines: string[] = []
  let leftOut = 0

  const listFolder = async (path: string, levels: number, rules: IgnoreRules): Promise<void> => {
    signal.throwIfAborted()
    const entries = await readFolder(scope, path)
    const listed = entries.slice(0, MOST_ENTRIES - lines.length)
    leftOut += entries.length - listed.length
    const ignored = rules.namesIn(entries)
    const details = await readDetails(path, listed)
    for (const entry of listed) {
      // Folders before may have used up the room that there was for this one.
      if (lines.length >= MOST_ENTRIES) {
        leftOut += 1
        continue
      }
      lines.push(
        lineOf(relative(top, entry.path), entry, details.get(entry.name) ?? '', ignored.has(entry.name)),
      )
      if (levels > 1 && entry.kind === 'folder' && !entry.isProtected && !ignored.has(entry.name))
        await listFolder(entry.path, levels - 1, await rules.within(entry.path))
    }
  }

  await listFolder(top, depth, await ignoreRules(scope, top, signal))
  if (lines.length === 0) return '[the folder is empty]'
  if (leftOut > 0)
    lines.push(`[at least ${leftOut} more are left out: list a folder below, or with less depth]`)
  return lines.join('\n')
}

function lineOf(path: string, { kind, isProtected }: Entry, detail: string, isIgnored: boolean): string {
  const shown = `${kind.padEnd(6)} ${printablePath(path)}${kind === 'folder' ? '/' : ''}`
  const to =
    kind === 'link' && detail !== '' ? ` -> ${printablePath(detail)}` : detail === '' ? '' : `  ${detail}`
  const marks = [isProtected && '(protected)', isIgnored && '(ignored by git)'].filter(Boolean)
  return [shown + to, ...marks].join('  ')
}
