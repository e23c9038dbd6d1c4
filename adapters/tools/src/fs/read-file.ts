import { basename } from 'node:path'
import { MediaHandle, ReadFileInput, createToolInput } from '@parley/contracts'
import {
  type ToolCallPlan,
  type ToolCallRefusal,
  type Tool,
  type RawToolResult,
  detectMediaType,
  createToolCallRefusal,
} from '@parley/engine'
import { createFailedResult } from '../create-failed-result.ts'
import { decodeFile } from './decode-file.ts'
import { type FileHost, type HiddenValues, MAX_FILE_BYTES, refuseMissingFile } from './file-host.ts'
import type { ResolvedPath, FileScope } from './open-scope.ts'
import { toPrintablePath } from './paths.ts'
import { readBytes, sha256 } from './read-bytes.ts'

type ReadRange = Omit<ReadFileInput, 'path'>

export const createReadFileTool = (host: FileHost): Tool<ReadFileInput> => ({
  name: 'read_file',
  description:
    'Reads a text file, or a range of its lines or, where lines are long, of its characters. Pictures (PNG, JPEG, GIF, WebP) and PDFs are shown as such. Also reads media:// handles that results name.',
  input: createToolInput(ReadFileInput),
  mayRepeat: true,
  async plan({ path, ...range }) {
    if (path.startsWith('media://')) return planMediaRead(path, range, host)
    const scope = await host.openScope()
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(path, 'read')
    if (place.kind === 'refused') return place
    if (place.missing.length > 0) return refuseMissingFile(scope, place)
    return {
      kind: 'plan',
      target: place.shown,
      origin: `the file ${place.shown}`,
      carryOut: (signal) => readAndShow(scope, place, range, host, signal),
    }
  },
})

function planMediaRead(
  path: string,
  range: ReadRange,
  { session, hidden }: FileHost,
): ToolCallPlan | ToolCallRefusal {
  const handle = MediaHandle.safeParse(path)
  if (!handle.success)
    return createToolCallRefusal(
      `${toPrintablePath(path)} is not a handle: handles are media://sha256- and 64 hexadecimal digits.`,
      'validation',
    )
  return {
    kind: 'plan',
    target: handle.data,
    origin: handle.data,
    async carryOut() {
      const media = await session.readMedia(handle.data)
      if (!media) return createFailedResult(`This session has no ${handle.data}.`)
      return showFile(media.bytes, handle.data, range, hidden)
    },
  }
}

async function readAndShow(
  scope: FileScope,
  place: ResolvedPath,
  range: ReadRange,
  host: FileHost,
  signal: AbortSignal,
): Promise<RawToolResult> {
  const file = await readBytes(scope, place.path, MAX_FILE_BYTES, signal)
  if (file.kind !== 'read')
    return createFailedResult(
      `${place.shown} ${file.reason}.`,
      file.kind === 'forbidden' ? 'tool_denied' : 'tool_failed',
    )
  host.seenFiles.recordHash(place.path, sha256(file.bytes))
  return showFile(file.bytes, place.shown, range, host.hidden)
}

function showFile(bytes: Uint8Array, shown: string, range: ReadRange, hidden: HiddenValues): RawToolResult {
  const mediaType = detectMediaType(bytes)
  if (mediaType !== undefined && hidden.areIn(bytes))
    return createFailedResult(
      `${shown} is ${mediaType} and contains a secret value, so it is not shown.`,
      'tool_denied',
    )
  if (mediaType !== undefined)
    return {
      kind: 'ok',
      text: `${shown} is shown as ${mediaType}, ${bytes.length} bytes.`,
      media: [{ mediaType, bytes, name: basename(shown).slice(0, 200) }],
    }
  const decoded = decodeFile(bytes)
  if (decoded.kind === 'binary')
    return createFailedResult(
      `${shown} holds no text: ${bytes.length} bytes of an unknown kind${hidden.areIn(bytes) ? '' : `, beginning with ${formatFirstBytes(bytes)}`}.`,
    )
  const note = decoded.isLossy ? '[some bytes are not UTF-8 and are shown as \u{FFFD}]\n' : ''
  const text = hidden.mask(decoded.text)
  return addNote(selectPart(text, range, shown), note)
}

const addNote = (result: RawToolResult, note: string): RawToolResult =>
  result.kind === 'ok' ? { ...result, text: `${note}${result.text}` } : result

function selectPart(text: string, range: ReadRange, shown: string): RawToolResult {
  const { from_line, lines, from_character, characters } = range
  if (text === '') return { kind: 'ok', text: '[the file is empty]' }
  if (from_character === undefined && characters === undefined) return selectLines(text, range, shown)
  if (from_line !== undefined || lines !== undefined)
    return createFailedResult('Give either lines or characters to read, not both.', 'validation')
  return selectCharacters(text, from_character ?? 0, characters, shown)
}

function selectCharacters(
  text: string,
  given: number,
  most: number | undefined,
  shown: string,
): RawToolResult {
  if (given >= text.length)
    return createFailedResult(
      `${shown} has ${formatCount(text.length, 'character')}, from 0 on, so there is no character ${given}.`,
    )
  const from = splitsCharacter(text, given) ? given - 1 : given
  const end = most === undefined ? text.length : Math.min(given + most, text.length)
  const to = splitsCharacter(text, end) ? end + 1 : end
  return { kind: 'ok', text: `[characters ${from}–${to - 1} of ${text.length}]\n${text.slice(from, to)}` }
}

/** Whether an offset splits a surrogate pair. */
const splitsCharacter = (text: string, at: number): boolean =>
  at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff

function selectLines(
  text: string,
  { from_line: from = 1, lines: most }: ReadRange,
  shown: string,
): RawToolResult {
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  if (from > all.length)
    return createFailedResult(`${shown} has ${formatCount(all.length, 'line')}, so there is no line ${from}.`)
  const taken = all.slice(from - 1, most === undefined ? undefined : from - 1 + most)
  if (taken.length === all.length) return { kind: 'ok', text }
  return {
    kind: 'ok',
    text: `[lines ${from}–${from + taken.length - 1} of ${all.length}]\n${taken.join('')}`,
  }
}

const formatFirstBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 8))
    .toString('hex')
    .replace(/..(?=.)/g, '$& ')

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
