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
  type ToolCallPlan,
  type ToolCallRefusal,
  type Secret,
  type Tool,
  type ToolSession,
  createToolCallRefusal,
} from '@parley/engine'
import type { ToolPolicy } from '../tool-policy.ts'
import {
  type FileHost,
  MAX_FILE_BYTES,
  createHiddenValues,
  refuseMissingFile,
  openSeenFiles,
} from './file-host.ts'
import { type IgnoreRules, readIgnoreRules } from './ignore-rules.ts'
import { compilePattern } from './match-lines.ts'
import { type ResolvedPath, type FileScope, openScope } from './open-scope.ts'
import { toPrintablePath } from './paths.ts'
import { type FileBefore, planChange } from './plan-change.ts'
import { readBytes, sha256 } from './read-bytes.ts'
import { createReadFileTool } from './read-file.ts'
import { type FolderEntry, readDetails, readFolder } from './open-folder.ts'
import { runSearch } from './run-search.ts'
import { decodeFile, encodeFile } from './decode-file.ts'

export interface FileToolsHost {
  readonly session: Pick<ToolSession, 'id' | 'context' | 'readMedia'>
  readonly policy: Pick<ToolPolicy, 'tier' | 'root'>
  /** Parley's own data folder, out of reach in every tier. */
  readonly home?: string
  /** The values that must not be shown. */
  readonly secrets?: () => readonly Secret[]
}

/** The tools that read and write files within the session's scope. */
export function createFileTools({
  session,
  policy,
  home,
  secrets = () => [],
}: FileToolsHost): readonly AnyTool[] {
  const host: FileHost = {
    session,
    seenFiles: openSeenFiles(session.id),
    hidden: createHiddenValues(secrets),
    openScope: () => openScope(session.context, policy, home),
  }
  return [
    createReadFileTool(host),
    createWriteFileTool(host),
    createEditFileTool(host),
    createListDirectoryTool(host),
    createSearchFilesTool(host),
  ]
}

const createWriteFileTool = (host: FileHost): Tool<WriteFileInput> => ({
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
    const done = `${before ? 'Replaced' : 'Created'} ${place.shown}, ${after.length} bytes.`
    return planChange({ ...target, after, done }, host)
  },
})

const createSearchFilesTool = (host: FileHost): Tool<SearchFilesInput> => ({
  name: 'search_files',
  description:
    'Finds lines in text files, as path:line: text. Skips ignored files (.gitignore), binaries, files over 5 MB and protected files.',
  input: createToolInput(SearchFilesInput),
  mayRepeat: true,
  async plan(input): Promise<ToolCallPlan | ToolCallRefusal> {
    const pattern = compilePattern(input.pattern, input.is_regex === true, input.ignore_case === true)
    if (typeof pattern === 'string')
      return createToolCallRefusal(`The pattern cannot be used: ${pattern}.`, 'validation')
    const scope = await host.openScope()
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(input.path ?? '.', 'read')
    if (place.kind === 'refused') return place
    if (place.missing.length > 0) return refuseMissingFile(scope, place)
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

const MAX_ENTRIES = 2_000

const createListDirectoryTool = (host: FileHost): Tool<ListDirectoryInput> => ({
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
    if (place.missing.length > 0) return refuseMissingFile(scope, place)
    const stats = await stat(place.path).catch(() => undefined)
    if (stats?.isDirectory() === false)
      return createToolCallRefusal(
        `${place.shown} is not a folder; read_file reads files.`,
        'tool_failed',
        place.shown,
      )
    return {
      kind: 'plan',
      target: place.shown,
      origin: `the folder ${place.shown}`,
      carryOut: async (signal) => ({ kind: 'ok', text: await listFolders(scope, place, depth, signal) }),
    }
  },
})

async function listFolders(
  scope: FileScope,
  { path: top }: ResolvedPath,
  depth: number,
  signal: AbortSignal,
): Promise<string> {
  const lines: string[] = []
  let leftOut = 0

  const listFolder = async (path: string, levels: number, rules: IgnoreRules): Promise<void> => {
    signal.throwIfAborted()
    const entries = await readFolder(scope, path)
    const listed = entries.slice(0, MAX_ENTRIES - lines.length)
    leftOut += entries.length - listed.length
    const ignored = rules.findIgnoredNames(entries)
    const details = await readDetails(path, listed)
    for (const entry of listed) {
      // Earlier folders may have used up the limit.
      if (lines.length >= MAX_ENTRIES) {
        leftOut += 1
        continue
      }
      lines.push(
        formatEntry(relative(top, entry.path), entry, details.get(entry.name) ?? '', ignored.has(entry.name)),
      )
      if (levels > 1 && entry.kind === 'folder' && !entry.isProtected && !ignored.has(entry.name))
        await listFolder(entry.path, levels - 1, await rules.enterFolder(entry.path))
    }
  }

  await listFolder(top, depth, await readIgnoreRules(scope, top, signal))
  if (lines.length === 0) return '[the folder is empty]'
  if (leftOut > 0) lines.push(`[at least ${leftOut} more are left out: list a subfolder, or use less depth]`)
  return lines.join('\n')
}

function formatEntry(
  path: string,
  { kind, isProtected }: FolderEntry,
  detail: string,
  isIgnored: boolean,
): string {
  const shown = `${kind.padEnd(6)} ${toPrintablePath(path)}${kind === 'folder' ? '/' : ''}`
  const to =
    kind === 'link' && detail !== '' ? ` -> ${toPrintablePath(detail)}` : detail === '' ? '' : `  ${detail}`
  const marks = [isProtected && '(protected)', isIgnored && '(ignored by git)'].filter(Boolean)
  return [shown + to, ...marks].join('  ')
}

const createEditFileTool = (host: FileHost): Tool<EditFileInput> => ({
  name: 'edit_file',
  description:
    'Replaces text in a file. old_text must match exactly, and only once unless replace_all is set. Read the file first.',
  input: createToolInput(EditFileInput),
  async plan({ path, ...edit }, signal) {
    const target = await findTarget(path, host, signal)
    if (target.kind === 'refused') return target
    const { scope, place, before } = target
    if (!before) return refuseMissingFile(scope, place)

    const decoded = decodeFile(before.bytes)
    if (decoded.kind === 'binary' || decoded.isLossy)
      return createToolCallRefusal(
        `${place.shown} is not all text in UTF-8 or UTF-16, so it cannot be edited here.`,
        'tool_failed',
        place.shown,
      )
    const refuseEdit = (reason: string) =>
      createToolCallRefusal(`${place.shown} was not changed: ${reason}`, 'tool_failed', place.shown)
    // The result must not reveal whether a text occurs in a hidden value.
    const masked = editText(host.hidden.mask(decoded.text), edit)
    if (masked.kind === 'not-edited') return refuseEdit(masked.reason)
    const edited = editText(decoded.text, edit)
    if (edited.kind === 'not-edited' || edited.places !== masked.places) return refuseEdit(AROUND_SECRET)
    const after = encodeFile(edited.text, decoded.encoding)
    const done = `Changed ${place.shown} in ${edited.places === 1 ? 'one place' : `${edited.places} places`}.`
    return planChange({ scope, place, before, after, done }, host)
  },
})

const AROUND_SECRET = 'old_text touches a value that is not shown here. Include more of the surrounding text.'

type EditedText =
  | { readonly kind: 'edited'; readonly text: string; readonly places: number }
  | { readonly kind: 'not-edited'; readonly reason: string }

/** Replaces exact matches. If all lines end in CRLF, LF in the given texts means CRLF. */
export function editText(text: string, edit: Omit<EditFileInput, 'path'>): EditedText {
  const endings = /\r\n/.test(text) && !/(?<!\r)\n/.test(text) ? toCrlf : keepText
  const from = endings(edit.old_text)
  const to = endings(edit.new_text)
  if (from === to) return { kind: 'not-edited', reason: 'old_text and new_text are the same.' }

  const parts = text.split(from)
  const places = parts.length - 1
  if (places === 0) return { kind: 'not-edited', reason: explainNotFound(text, from) }
  if (places > 1 && edit.replace_all !== true)
    return {
      kind: 'not-edited',
      reason: `old_text occurs ${places} times. Include more of the surrounding text, or set replace_all.`,
    }
  if (text.length + places * (to.length - from.length) > MAX_EDITED_LENGTH)
    return { kind: 'not-edited', reason: `it would become longer than ${MAX_EDITED_LENGTH} characters.` }
  return { kind: 'edited', text: parts.join(to), places }
}

const MAX_EDITED_LENGTH = 10_000_000

const toCrlf = (text: string) => text.replace(/\r?\n/g, '\r\n')
const keepText = (text: string) => text

function explainNotFound(text: string, from: string): string {
  const near = LOOSER_COMPARISONS.find(([, loosen]) => loosen(text).includes(loosen(from)))
  return `old_text was not found.${near ? ` ${near[0]}` : ' Read the file again and copy the text exactly.'}`
}

const LOOSER_COMPARISONS: readonly (readonly [string, (text: string) => string])[] = [
  ['Only the line endings differ: the file has both CRLF and LF.', (text) => text.replaceAll('\r\n', '\n')],
  ['Only spaces, tabs or line breaks differ: copy them exactly.', (text) => text.replace(/\s+/g, ' ').trim()],
  ['Only upper and lower case differ.', (text) => text.toLowerCase()],
]

interface ChangeTarget {
  readonly kind: 'found'
  readonly scope: FileScope
  readonly place: ResolvedPath
  readonly before: FileBefore | undefined
}

/** Reads a file before a change; refuses if it differs from the version that the model last saw. */
async function findTarget(
  path: string,
  host: FileHost,
  signal: AbortSignal,
): Promise<ChangeTarget | ToolCallRefusal> {
  const scope = await host.openScope()
  if (scope.kind === 'refused') return scope
  const place = await scope.resolve(path, 'write')
  if (place.kind === 'refused') return place
  if (place.missing.length > 0) return { kind: 'found', scope, place, before: undefined }

  const file = await readBytes(scope, place.path, MAX_FILE_BYTES, signal)
  if (file.kind !== 'read') {
    const code = file.kind === 'forbidden' ? 'tool_denied' : 'tool_failed'
    return createToolCallRefusal(`${place.shown} ${file.reason}.`, code, place.shown)
  }
  const hash = sha256(file.bytes)
  const lastSeenHash = host.seenFiles.findHash(place.path)
  if (lastSeenHash !== undefined && lastSeenHash !== hash)
    return createToolCallRefusal(
      `${place.shown} was changed by someone else since it was last read here. Read it again, then change it.`,
      'tool_failed',
      place.shown,
    )
  return { kind: 'found', scope, place, before: { ...file, hash } }
}
