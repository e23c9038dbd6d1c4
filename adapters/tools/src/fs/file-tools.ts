import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import {
  EditFileInput,
  ListDirectoryInput,
  SearchFilesInput,
  WriteFileInput,
  createToolInput,
} from '@parley/contracts'
import {
  type AnyTool,
  type Plan,
  type Refusal,
  type Secret,
  type Tool,
  type ToolSession,
  refuse,
} from '@parley/engine'
import type { ToolPolicy } from '../tool-policy.ts'
import { type FileHost, MOST_BYTES, hiddenValues, noSuchFile, seenFiles } from './file-host.ts'
import { type IgnoreRules, ignoreRules } from './ignore-rules.ts'
import { compilePattern } from './match-lines.ts'
import { type ResolvedPath, type Scope, openScope } from './open-scope.ts'
import { printablePath } from './paths.ts'
import { type Before, planChange } from './plan-change.ts'
import { readBytes, sha256 } from './read-bytes.ts'
import { readFile } from './read-file.ts'
import { type Entry, readDetails, readFolder } from './open-folder.ts'
import { runSearch } from './run-search.ts'
import { decodeText, encodeText } from './file-content.ts'

export interface FileToolsHost {
  readonly session: Pick<ToolSession, 'id' | 'context' | 'readMedia'>
  readonly policy: Pick<ToolPolicy, 'tier' | 'root'>
  /** Parley's own data folder, out of reach in every tier. */
  readonly home?: string
  /** The values that must not be shown. */
  readonly secrets?: () => readonly Secret[]
}

/** The tools that read and write files within the session's scope. */
export function fileTools({ session, policy, home, secrets = () => [] }: FileToolsHost): readonly AnyTool[] {
  const host: FileHost = {
    session,
    seen: seenFiles(session.id),
    hidden: hiddenValues(secrets),
    openScope: () => openScope(session.context, policy, home),
  }
  return [readFile(host), writeFile(host), editFile(host), listDirectory(host), searchFiles(host)]
}

const writeFile = (host: FileHost): Tool<WriteFileInput> => ({
  name: 'write_file',
  description:
    'Creates a text file or replaces its whole content. To change a part of a file, use edit_file.',
  input: createToolInput(WriteFileInput),
  mayRepeat: true,
  async plan({ path, content }, signal) {
    const target = await findTarget(path, host, signal)
    if (target.kind === 'refused') return target
    const { place, before } = target
    const after = Buffer.from(content, 'utf8')
    const done = `${before ? 'Replaced' : 'Made'} ${place.shown}, ${after.length} bytes.`
    return planChange({ ...target, after, done }, host)
  },
})

const searchFiles = (host: FileHost): Tool<SearchFilesInput> => ({
  name: 'search_files',
  description:
    'Finds lines in text files, as path:line: text. Skips ignored files (.gitignore), binaries, files over 5 MB and protected files.',
  input: createToolInput(SearchFilesInput),
  mayRepeat: true,
  async plan(input): Promise<Plan | Refusal> {
    const pattern = compilePattern(input.pattern, input.is_regex === true, input.ignore_case === true)
    if (typeof pattern === 'string') return refuse(`The pattern cannot be used: ${pattern}.`, 'validation')
    const scope = await host.openScope()
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(input.path ?? '.', 'read')
    if (place.kind === 'refused') return place
    if (place.missing.length > 0) return noSuchFile(scope, place)
    const { mask } = host.hidden
    const search = { pattern, mask, glob: input.glob, contextLines: input.context_lines ?? 0 }
    return {
      kind: 'plan',
      target: place.shown,
      origin: `the files in ${place.shown}`,
      carryOut: (signal) => runSearch(scope, place, search, signal),
    }
  },
})

const MOST_ENTRIES = 2_000

const listDirectory = (host: FileHost): Tool<ListDirectoryInput> => ({
  name: 'list_directory',
  description:
    'Lists a folder: kind, path and size of each entry, folders first. With depth it also lists its subfolders, except ignored ones (.gitignore).',
  input: createToolInput(ListDirectoryInput),
  mayRepeat: true,
  async plan({ path = '.', depth = 1 }) {
    const scope = await host.openScope()
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(path, 'read')
    if (place.kind === 'refused') return place
    if (place.missing.length > 0) return noSuchFile(scope, place)
    const stats = await stat(place.path).catch(() => undefined)
    if (stats?.isDirectory() === false)
      return refuse(`${place.shown} is not a folder; read_file reads files.`, 'tool_failed', place.shown)
    return {
      kind: 'plan',
      target: place.shown,
      origin: `the folder ${place.shown}`,
      carryOut: async (signal) => ({ kind: 'ok', text: await list(scope, place, depth, signal) }),
    }
  },
})

async function list(
  scope: Scope,
  { path: top }: ResolvedPath,
  depth: number,
  signal: AbortSignal,
): Promise<string> {
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
      // Earlier folders may have used up the limit.
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
  if (leftOut > 0) lines.push(`[at least ${leftOut} more are left out: list a subfolder, or use less depth]`)
  return lines.join('\n')
}

function lineOf(path: string, { kind, isProtected }: Entry, detail: string, isIgnored: boolean): string {
  const shown = `${kind.padEnd(6)} ${printablePath(path)}${kind === 'folder' ? '/' : ''}`
  const to =
    kind === 'link' && detail !== '' ? ` -> ${printablePath(detail)}` : detail === '' ? '' : `  ${detail}`
  const marks = [isProtected && '(protected)', isIgnored && '(ignored by git)'].filter(Boolean)
  return [shown + to, ...marks].join('  ')
}

const editFile = (host: FileHost): Tool<EditFileInput> => ({
  name: 'edit_file',
  description:
    'Replaces text in a file. old_text must match exactly, and only once unless replace_all is set. Read the file first.',
  input: createToolInput(EditFileInput),
  async plan({ path, ...edit }, signal) {
    const target = await findTarget(path, host, signal)
    if (target.kind === 'refused') return target
    const { scope, place, before } = target
    if (!before) return noSuchFile(scope, place)

    const decoded = decodeText(before.bytes)
    if (decoded.kind === 'binary' || decoded.isLossy)
      return refuse(
        `${place.shown} is not all text in UTF-8 or UTF-16, so it cannot be edited here.`,
        'tool_failed',
        place.shown,
      )
    const no = (why: string) => refuse(`${place.shown} was not changed: ${why}`, 'tool_failed', place.shown)
    // The result must not reveal whether a text occurs in a hidden value.
    const seen = editText(host.hidden.mask(decoded.text), edit)
    if (seen.kind === 'not-edited') return no(seen.why)
    const edited = editText(decoded.text, edit)
    if (edited.kind === 'not-edited' || edited.places !== seen.places) return no(AROUND_SECRET)
    const after = encodeText(edited.text, decoded.encoding)
    const done = `Changed ${place.shown} in ${edited.places === 1 ? 'one place' : `${edited.places} places`}.`
    return planChange({ scope, place, before, after, done }, host)
  },
})

const AROUND_SECRET = 'old_text touches a value that is not shown here. Include more of the surrounding text.'

type Edited =
  | { readonly kind: 'edited'; readonly text: string; readonly places: number }
  | { readonly kind: 'not-edited'; readonly why: string }

/** Replaces exact matches. If all lines end in CRLF, LF in the given texts means CRLF. */
export function editText(text: string, edit: Omit<EditFileInput, 'path'>): Edited {
  const endings = /\r\n/.test(text) && !/(?<!\r)\n/.test(text) ? toCrlf : asGiven
  const from = endings(edit.old_text)
  const to = endings(edit.new_text)
  if (from === to) return { kind: 'not-edited', why: 'old_text and new_text are the same.' }

  const parts = text.split(from)
  const places = parts.length - 1
  if (places === 0) return { kind: 'not-edited', why: whyNotFound(text, from) }
  if (places > 1 && edit.replace_all !== true)
    return {
      kind: 'not-edited',
      why: `old_text occurs ${places} times. Include more of the surrounding text, or set replace_all.`,
    }
  if (text.length + places * (to.length - from.length) > LONGEST)
    return { kind: 'not-edited', why: `it would become longer than ${LONGEST} characters.` }
  return { kind: 'edited', text: parts.join(to), places }
}

const LONGEST = 10_000_000

const toCrlf = (text: string) => text.replace(/\r?\n/g, '\r\n')
const asGiven = (text: string) => text

function whyNotFound(text: string, from: string): string {
  const near = LOOSER.find(([, loosen]) => loosen(text).includes(loosen(from)))
  return `old_text was not found.${near ? ` ${near[0]}` : ' Read the file again and copy the text exactly.'}`
}

const LOOSER: readonly (readonly [string, (text: string) => string])[] = [
  ['Only the line endings differ: the file has both CRLF and LF.', (text) => text.replaceAll('\r\n', '\n')],
  ['Only spaces, tabs or line breaks differ: copy them exactly.', (text) => text.replace(/\s+/g, ' ').trim()],
  ['Only upper and lower case differ.', (text) => text.toLowerCase()],
]

interface ChangeTarget {
  readonly kind: 'found'
  readonly scope: Scope
  readonly place: ResolvedPath
  readonly before: Before | undefined
}

/** Reads a file before a change; refuses if it differs from the version that the model last saw. */
async function findTarget(
  path: string,
  host: FileHost,
  signal: AbortSignal,
): Promise<ChangeTarget | Refusal> {
  const scope = await host.openScope()
  if (scope.kind === 'refused') return scope
  const place = await scope.resolve(path, 'write')
  if (place.kind === 'refused') return place
  if (place.missing.length > 0) return { kind: 'found', scope, place, before: undefined }

  const file = await readBytes(scope, place.path, MOST_BYTES, signal)
  if (file.kind !== 'read') {
    const code = file.kind === 'forbidden' ? 'tool_denied' : 'tool_failed'
    return refuse(`${place.shown} ${file.why}.`, code, place.shown)
  }
  const hash = sha256(file.bytes)
  const seen = host.seen.hashOf(place.path)
  if (seen !== undefined && seen !== hash)
    return refuse(
      `${place.shown} was changed by someone else since it was last read here. Read it again, then change it.`,
      'tool_failed',
      place.shown,
    )
  return { kind: 'found', scope, place, before: { ...file, hash } }
}
