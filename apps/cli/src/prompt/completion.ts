import { opendir, readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Key } from './raw-terminal.ts'
import { type LineState, replace } from './line-state.ts'

interface Candidate {
  readonly text: string
  readonly note?: string
}

export interface Completion {
  readonly from: number
  readonly to: number
  readonly candidates: readonly Candidate[]
}

export type CompleteText = (text: string, cursor: number) => Promise<Completion | undefined>

export interface CompletionMenu {
  readonly completion: Completion
  /** -1: none chosen. */
  readonly chosen: number
  readonly before: LineState
}

export interface CompletionStep {
  readonly line: LineState
  /** Open while there are several. */
  readonly menu?: CompletionMenu
}

/** Takes the only candidate, or the common start of several. */
export function beginCompletion(line: LineState, completion: Completion): CompletionStep {
  const { from, to, candidates } = completion
  const [only, another] = candidates
  if (!only) return { line }
  if (!another) return { line: replace(line, from, to, only.text) }
  const common = findCommonStart(candidates.map(({ text }) => text))
  const longer = common.length > to - from ? replace(line, from, to, common) : line
  return {
    line: longer,
    menu: { completion: { ...completion, to: longer.cursor }, chosen: -1, before: longer },
  }
}

/** Undefined if the key is not for the menu, which then closes. */
export function chooseCandidate(menu: CompletionMenu, key: Key): CompletionStep | undefined {
  const { completion, chosen, before } = menu
  const { candidates, from, to } = completion
  const step = STEPS[key.name]
  if (step !== undefined) {
    const next = (Math.max(chosen, step > 0 ? -1 : 0) + step + candidates.length) % candidates.length
    const text = candidates[next]?.text ?? ''
    return { line: replace(before, from, to, text), menu: { ...menu, chosen: next } }
  }
  if (key.name === 'escape') return { line: before }
  const candidate = candidates[chosen]
  return key.name === 'enter' && candidate ? { line: replace(before, from, to, candidate.text) } : undefined
}

const STEPS: Partial<Record<Key['name'], 1 | -1>> = { complete: 1, down: 1, 'complete-back': -1, up: -1 }

function findCommonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts
  let length = first.length
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length -= 1
  }
  return first.slice(0, length)
}

interface Completable {
  /** The names of the commands, without their slash. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  /** The base of relative paths. */
  readonly folder: string
}

/** Completes a command at the start of a message, and a file after an @. */
export function createComplete({ commands, folder }: Completable): CompleteText {
  return async (text, cursor) => {
    const before = text.slice(0, cursor)
    const command = /^\/(\w*)$/.exec(before)?.[1]
    if (command !== undefined) {
      const candidates = commands
        .filter(({ name }) => name.startsWith(command))
        .map(({ name, summary }): Candidate => ({ text: `/${name} `, note: summary }))
      return { from: 0, to: cursor, candidates }
    }
    const [whole, , quoted, bare] = /(^|\s)@(?:"([^"\n]*)|([^\s"]*))$/.exec(before) ?? []
    if (whole === undefined) return undefined
    const from = cursor - whole.trimStart().length
    const paths = await listPaths(folder, quoted ?? bare ?? '')
    return {
      from,
      to: cursor,
      candidates: paths.map((path) => ({ text: toMention(path, quoted !== undefined) })),
    }
  }
}

/** A folder stays open, to complete inside it. */
function toMention(path: string, isQuoted: boolean): string {
  const isFolder = path.endsWith('/')
  if (!isQuoted && !/\s/.test(path)) return isFolder ? `@${path}` : `@${path} `
  return isFolder ? `@"${path}` : `@"${path}" `
}

const MAX_READ = 2_000
const MAX_LISTED = 200

/** Files and folders whose path starts this way; folders end with a slash. Skips hidden and ignored ones. */
export async function listPaths(folder: string, beginning: string): Promise<readonly string[]> {
  const cut = beginning.lastIndexOf('/') + 1
  const parent = beginning.slice(0, cut)
  const start = beginning.slice(cut)
  const place = isAbsolute(parent) ? parent : join(folder, parent)
  const [entries, isIgnored] = await Promise.all([readEntries(place), readIgnoreRules([folder, place])])
  return entries
    .filter(({ name }) => name.startsWith(start))
    .filter(({ name }) => !name.startsWith('.') || start.startsWith('.'))
    .filter(({ name, isFolder }) => !isIgnored(name, isFolder) && !/["\p{Cc}]/u.test(name))
    .map(({ name, isFolder }) => `${parent}${name}${isFolder ? '/' : ''}`)
    .toSorted()
    .slice(0, MAX_LISTED)
}

interface Entry {
  readonly name: string
  readonly isFolder: boolean
}

async function readEntries(folder: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  try {
    for await (const entry of await opendir(folder)) {
      entries.push({ name: entry.name, isFolder: entry.isDirectory() })
      if (entries.length === MAX_READ) break
    }
  } catch {
    // A missing or unreadable folder has no candidates.
  }
  return entries
}

/** The simple rules of .gitignore: a name, `*.ending`, `folder/`. */
async function readIgnoreRules(
  folders: readonly string[],
): Promise<(name: string, isFolder: boolean) => boolean> {
  const texts = await Promise.all(
    [...new Set(folders)].map((folder) => readFile(join(folder, '.gitignore'), 'utf8').catch(() => '')),
  )
  const rules = texts
    .flatMap((text) => text.split('\n', MAX_READ))
    .map((line) => /^\/?([^\s/!#][^/]*?)(\/?)\s*$/.exec(line))
    .flatMap((match) => (match?.[1] === undefined ? [] : [{ name: match[1], folder: match[2] === '/' }]))
  const names = new Set(rules.filter(({ folder }) => !folder).map(({ name }) => name))
  const folderNames = new Set([
    'node_modules',
    ...rules.filter(({ folder }) => folder).map(({ name }) => name),
  ])
  const endings = [...names].filter((name) => /^\*\.[^*?[]+$/.test(name)).map((name) => name.slice(1))
  return (name, isFolder) =>
    names.has(name) || (isFolder && folderNames.has(name)) || endings.some((ending) => name.endsWith(ending))
}
