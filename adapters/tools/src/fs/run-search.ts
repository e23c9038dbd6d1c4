import { stat } from 'node:fs/promises'
import { matchesGlob, relative } from 'node:path'
import type { RawToolResult } from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { type IgnoreRules, readIgnoreRules } from './ignore-rules.ts'
import { matchLines, runWithTimeLimit } from './match-lines.ts'
import { type FolderEntry, readFolder } from './open-folder.ts'
import type { ResolvedPath, FileScope } from './open-scope.ts'
import { readBytes } from './read-bytes.ts'
import { decodeFile } from './decode-file.ts'

interface FileSearch {
  readonly pattern: RegExp
  /** Applied before the search: a match would reveal a masked value. */
  readonly mask: (text: string) => string
  readonly glob: string | undefined
  readonly contextLines: number
}

const MAX_MATCHES = 500
const MAX_FILES = 50_000
const MAX_SECONDS = 30
/** Files read in parallel. */
const GROUP_SIZE = 16
const MAX_SEARCHED_BYTES = 5_000_000
const MAX_LINE_LENGTH = 300

/** Searches files in groups, and reports skipped files. */
export async function runSearch(
  scope: FileScope,
  { path: top }: ResolvedPath,
  { pattern, mask, glob, contextLines }: FileSearch,
  signal: AbortSignal,
): Promise<RawToolResult> {
  const blocks: string[] = []
  const skipped = new Map<string, number>()
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  const end = performance.now() + MAX_SECONDS * 1_000
  let left = MAX_MATCHES
  let files = 0

  for await (const group of groupEntries(walkFiles(scope, top, glob, signal))) {
    for (const { kind } of group)
      if (kind === 'protected' || kind === 'unreadable') skip(SKIPPED_ENTRIES[kind])
    const endless = group.find(({ kind }) => kind === 'too-long')
    if (endless) return createTooLongResult('glob', scope.toShownPath(endless.path))

    const texts = await readTexts(scope, group, { skip, mask }, signal)
    const matched = await matchLines(
      texts.flatMap(({ lines }) => lines),
      pattern,
      left,
      signal,
    )
    if (matched.kind === 'too-long')
      return createTooLongResult('pattern', scope.toShownPath(texts[0]?.path ?? top))
    for (const { path, lines, matches } of splitMatches(texts, matched.matches))
      blocks.push(...formatMatches(scope.toShownPath(path), lines, matches, contextLines))

    left -= matched.matches.length
    files += group.length
    const limit = describeReachedLimit(left, files, performance.now() > end)
    if (limit === undefined) continue
    skip(`everything after ${limit}`)
    break
  }

  const notes = [...skipped].map(([reason, count]) => (count > 1 ? `${count} × ${reason}` : reason))
  return {
    kind: 'ok',
    text: [
      ...(blocks.length > 0 ? blocks : ['[no matches]']),
      ...(notes.length > 0 ? [`[left out: ${notes.join(', ')}]`] : []),
    ].join('\n'),
  }
}

function describeReachedLimit(left: number, files: number, isLate: boolean): string | undefined {
  if (left <= 0) return `${MAX_MATCHES} lines found; make the search narrower`
  if (files >= MAX_FILES) return `${MAX_FILES} files; search in a subfolder`
  return isLate ? `${MAX_SECONDS} seconds; make the search narrower` : undefined
}

async function* groupEntries(walked: AsyncIterable<WalkedEntry>): AsyncGenerator<readonly WalkedEntry[]> {
  let group: WalkedEntry[] = []
  for await (const one of walked) {
    group.push(one)
    if (group.length < GROUP_SIZE) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

interface TextFile {
  readonly path: string
  readonly lines: readonly string[]
}

async function readTexts(
  scope: FileScope,
  group: readonly WalkedEntry[],
  { skip, mask }: { readonly skip: (reason: string) => void } & Pick<FileSearch, 'mask'>,
  signal: AbortSignal,
): Promise<readonly TextFile[]> {
  const paths = group.filter(({ kind }) => kind === 'file').map(({ path }) => path)
  const read = await Promise.all(paths.map((path) => readBytes(scope, path, MAX_SEARCHED_BYTES, signal)))
  return read.flatMap((file, at) => {
    if (file.kind !== 'read') {
      skip(SKIPPED_FILES[file.kind])
      return []
    }
    const decoded = decodeFile(file.bytes)
    if (decoded.kind === 'binary') return []
    const lines = mask(decoded.text).split(/\r?\n/)
    if (lines.at(-1) === '') lines.pop()
    return [{ path: paths[at] ?? '', lines }]
  })
}

/** Splits matches in the joined lines into matches per text. */
function splitMatches(
  texts: readonly TextFile[],
  matches: TextMatches,
): readonly (TextFile & { readonly matches: TextMatches })[] {
  let from = 0
  return texts.map((text) => {
    const start = from
    from += text.lines.length
    const own = matches.filter(({ line }) => line >= start && line < start + text.lines.length)
    return { ...text, matches: own.map(({ line, at }) => ({ line: line - start, at })) }
  })
}

const SKIPPED_ENTRIES = { protected: 'protected', unreadable: 'folders that could not be read' } as const

const SKIPPED_FILES = {
  absent: 'files that vanished',
  folder: 'files that vanished',
  forbidden: 'hard links or files replaced during the search',
  failed: 'files that could not be read',
  large: 'files over 5 MB',
} as const

const createTooLongResult = (what: string, where: string): RawToolResult =>
  createFailedResult(
    `The ${what} takes too long to match, at or after ${where}, so the search was stopped. Make it simpler: no repetition within a repetition.`,
  )

type TextMatches = readonly { readonly line: number; readonly at: number }[]

function formatMatches(
  shown: string,
  lines: readonly string[],
  matches: TextMatches,
  contextLines: number,
): string[] {
  const at = new Map(matches.map((match) => [match.line, match.at]))
  const wanted = new Set(
    matches.flatMap(({ line }) =>
      Array.from({ length: 2 * contextLines + 1 }, (_, offset) => line - contextLines + offset),
    ),
  )
  const block: string[] = []
  let last: number | undefined
  for (const line of [...wanted]
    .filter((number) => number >= 0 && number < lines.length)
    .toSorted((a, b) => a - b)) {
    if (contextLines > 0 && last !== undefined && line > last + 1) block.push('--')
    const mark = at.has(line) ? ':' : '-'
    block.push(`${shown}${mark}${line + 1}${mark} ${cutLine(lines[line] ?? '', at.get(line) ?? 0)}`)
    last = line
  }
  return block
}

function cutLine(text: string, at: number): string {
  if (text.length <= MAX_LINE_LENGTH) return text
  const from = Math.max(0, Math.min(at - MAX_LINE_LENGTH / 3, text.length - MAX_LINE_LENGTH))
  const part = text.slice(from, from + MAX_LINE_LENGTH).toWellFormed()
  return `${from > 0 ? '…' : ''}${part}${from + MAX_LINE_LENGTH < text.length ? '…' : ''}`
}

type WalkedEntry =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'protected' | 'unreadable' | 'too-long'; readonly path: string }

/** All files of a folder tree, in order, without links and ignored files. */
async function* walkFiles(
  scope: FileScope,
  top: string,
  glob: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  if (!(await stat(top)).isDirectory()) {
    yield { kind: 'file', path: top }
    return
  }
  const folders: { path: string; rules: IgnoreRules }[] = [
    { path: top, rules: await readIgnoreRules(scope, top, signal) },
  ]
  for (let at = folders.pop(); at; at = folders.pop()) {
    signal.throwIfAborted()
    const { path, rules } = at
    const entries = await readFolder(scope, path).catch(() => undefined)
    if (!entries) {
      yield { kind: 'unreadable', path }
      continue
    }
    const ignored = rules.findIgnoredNames(entries)
    const kept = entries.filter(({ name }) => !ignored.has(name))
    const globbed = filterByGlob(kept, glob, [top, scope.workingDir])
    if (globbed === 'too-long') {
      yield { kind: 'too-long', path }
      return
    }
    for (const file of globbed) yield { kind: file.isProtected ? 'protected' : 'file', path: file.path }
    const below = kept.filter(({ kind, isProtected }) => kind === 'folder' && !isProtected)
    for (const folder of below.toReversed())
      folders.push({ path: folder.path, rules: await rules.enterFolder(folder.path) })
  }
}

/** A glob without a slash matches names; others match paths relative to the searched or the working folder. */
function filterByGlob(
  entries: readonly FolderEntry[],
  glob: string | undefined,
  from: readonly string[],
): readonly FolderEntry[] | 'too-long' {
  const files = entries.filter(({ kind }) => kind === 'file')
  if (glob === undefined || files.length === 0) return files
  const isLike = glob.includes('/')
    ? ({ path }: FolderEntry) => from.some((folder) => matchesGlob(relative(folder, path), glob))
    : ({ name }: FolderEntry) => matchesGlob(name, glob)
  return runWithTimeLimit(() => files.filter(isLike))
}
