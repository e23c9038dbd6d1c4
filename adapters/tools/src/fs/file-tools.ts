import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import {
  EditFileInput,
  ListDirectoryInput,
  SearchFilesInput,
  WriteFileInput,
  toolInput,
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
import { type Place, type Scope, openScope } from './open-scope.ts'
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
  /** The folder of Parley's own data, which no tool reaches in any tier. */
  readonly home?: string
  /** All that must not be shown. */
  readonly secrets?: () => readonly Secret[]
}

/** The tools that read and write files, within what the session may reach. */
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
    'Makes a text file, or replaces all of what it holds. To change a part of a file, use edit_file.',
  input: toolInput(WriteFileInput),
  mayRepeat: true,
  async plan({ path, content }, signal) {
    const found = await findBefore(path, host, signal)
    if (found.kind === 'refused') return found
    const { place, before } = found
    const after = Buffer.from(content, 'utf8')
    const done = `${before ? 'Replaced' : 'Made'} ${place.shown}, ${after.length} bytes.`
    return planChange({ ...found, after, done }, host)
  },
})

const searchFiles = (host: FileHost): Tool<SearchFilesInput> => ({
  name: 'search_files',
  description:
    'Finds lines in text files, as path:line: text. Leaves out what .gitignore does, binaries, files over 5 MB and protected ones.',
  input: toolInput(SearchFilesInput),
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

const editFile = (host: FileHost): Tool<EditFileInput> => ({
  name: 'edit_file',
  description:
    'Replaces text in a file. old_text has to stand there exactly, and once unless replace_all is set. Read the file first.',
  input: toolInput(EditFileInput),
  async plan({ path, ...edit }, signal) {
    const found = await findBefore(path, host, signal)
    if (found.kind === 'refused') return found
    const { scope, place, before } = found
    if (!before) return noSuchFile(scope, place)

    const decoded = decodeText(before.bytes)
    if (decoded.kind === 'binary' || decoded.isLossy)
      return refuse(
        `${place.shown} is not all text in UTF-8 or UTF-16, so it cannot be edited here.`,
        'tool_failed',
        place.shown,
      )
    const no = (why: string) => refuse(`${place.shown} was not changed: ${why}`, 'tool_failed', place.shown)
    // Whether a text stands in a value that is not shown must not be told either.
    const seen = editText(host.hidden.mask(decoded.text), edit)
    if (seen.kind === 'not-edited') return no(seen.why)
    const edited = editText(decoded.text, edit)
    if (edited.kind === 'not-edited' || edited.places !== seen.places) return no(AROUND_SECRET)
    const after = encodeText(edited.text, decoded.encoding)
    const done = `Changed ${place.shown} in ${edited.places === 1 ? 'one place' : `${edited.places} places`}.`
    return planChange({ scope, place, before, after, done }, host)
  },
})

const AROUND_SECRET =
  'old_text stands at a value that is not shown here. Give more of what is around the place that is meant.'

type Edited =
  | { readonly kind: 'edited'; readonly text: string; readonly places: number }
  | { readonly kind: 'not-edited'; readonly why: string }

/** Replaces text that stands there exactly. Where all lines end in CRLF, what is given with LF is taken to mean that. */
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
      why: `old_text stands there ${places} times. Give more of what is around the place that is meant, or set replace_all.`,
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
  return `old_text does not stand there.${near ? ` ${near[0]}` : ' Read the file again and copy the text exactly.'}`
}

const LOOSER: readonly (readonly [string, (text: string) => string])[] = [
  ['It would but for line endings: the file has both CRLF and LF.', (text) => text.replaceAll('\r\n', '\n')],
  [
    'It would but for spaces, tabs or line breaks: copy them exactly.',
    (text) => text.replace(/\s+/g, ' ').trim(),
  ],
  ['It would but for upper and lower case.', (text) => text.toLowerCase()],
]

interface FoundBefore {
  readonly kind: 'found'
  readonly scope: Scope
  readonly place: Place
  readonly before: Before | undefined
}

/** A file that is to be changed, as it is now; refused where the model last saw it otherwise. */
async function findBefore(path: string, host: FileHost, signal: AbortSignal): Promise<FoundBefore | Refusal> {
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
