import { basename } from 'node:path'
import { MediaHandle, ReadFileInput, createToolInput } from '@parley/contracts'
import { type Plan, type Refusal, type Tool, type ToolText, detectMediaType, refuse } from '@parley/engine'
import { failed } from '../failed.ts'
import { decodeText } from './file-content.ts'
import { type FileHost, type HiddenValues, MOST_BYTES, noSuchFile } from './file-host.ts'
import type { ResolvedPath, Scope } from './open-scope.ts'
import { printablePath } from './paths.ts'
import { readBytes, sha256 } from './read-bytes.ts'

type Range = Omit<ReadFileInput, 'path'>

export const readFile = (host: FileHost): Tool<ReadFileInput> => ({
  name: 'read_file',
  description:
    'Reads a text file, or a range of its lines or, where lines are long, of its characters. Pictures (PNG, JPEG, GIF, WebP) and PDFs are shown as such. Also reads media:// handles that results name.',
  input: createToolInput(ReadFileInput),
  mayRepeat: true,
  async plan({ path, ...range }) {
    if (path.startsWith('media://')) return planMedia(path, range, host)
    const scope = await host.openScope()
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(path, 'read')
    if (place.kind === 'refused') return place
    if (place.missing.length > 0) return noSuchFile(scope, place)
    return {
      kind: 'plan',
      target: place.shown,
      origin: `the file ${place.shown}`,
      carryOut: (signal) => read(scope, place, range, host, signal),
    }
  },
})

function planMedia(path: string, range: Range, { session, hidden }: FileHost): Plan | Refusal {
  const handle = MediaHandle.safeParse(path)
  if (!handle.success)
    return refuse(
      `${printablePath(path)} is not a handle: handles are media://sha256- and 64 hexadecimal digits.`,
      'validation',
    )
  return {
    kind: 'plan',
    target: handle.data,
    origin: handle.data,
    async carryOut() {
      const media = await session.readMedia(handle.data)
      if (!media) return failed(`This session has no ${handle.data}.`)
      return show(media.bytes, handle.data, range, hidden)
    },
  }
}

async function read(
  scope: Scope,
  place: ResolvedPath,
  range: Range,
  host: FileHost,
  signal: AbortSignal,
): Promise<ToolText> {
  const file = await readBytes(scope, place.path, MOST_BYTES, signal)
  if (file.kind !== 'read')
    return failed(`${place.shown} ${file.why}.`, file.kind === 'forbidden' ? 'tool_denied' : 'tool_failed')
  host.seen.saw(place.path, sha256(file.bytes))
  return show(file.bytes, place.shown, range, host.hidden)
}

function show(bytes: Uint8Array, shown: string, range: Range, hidden: HiddenValues): ToolText {
  const mediaType = detectMediaType(bytes)
  if (mediaType !== undefined && hidden.isIn(bytes))
    return failed(`${shown} is ${mediaType} and contains a secret value, so it is not shown.`, 'tool_denied')
  if (mediaType !== undefined)
    return {
      kind: 'ok',
      text: `${shown} is shown as ${mediaType}, ${bytes.length} bytes.`,
      media: [{ mediaType, bytes, name: basename(shown).slice(0, 200) }],
    }
  const decoded = decodeText(bytes)
  if (decoded.kind === 'binary')
    return failed(
      `${shown} holds no text: ${bytes.length} bytes of an unknown kind${hidden.isIn(bytes) ? '' : `, beginning with ${firstBytes(bytes)}`}.`,
    )
  const note = decoded.isLossy ? '[some bytes are not UTF-8 and are shown as \u{FFFD}]\n' : ''
  const text = hidden.mask(decoded.text)
  return withNote(selectPart(text, range, shown), note)
}

const withNote = (result: ToolText, note: string): ToolText =>
  result.kind === 'ok' ? { ...result, text: `${note}${result.text}` } : result

function selectPart(text: string, range: Range, shown: string): ToolText {
  const { from_line, lines, from_character, characters } = range
  if (text === '') return { kind: 'ok', text: '[the file is empty]' }
  if (from_character === undefined && characters === undefined) return selectLines(text, range, shown)
  if (from_line !== undefined || lines !== undefined)
    return failed('Give either lines or characters to read, not both.', 'validation')
  return selectCharacters(text, from_character ?? 0, characters, shown)
}

function selectCharacters(text: string, given: number, most: number | undefined, shown: string): ToolText {
  if (given >= text.length)
    return failed(
      `${shown} has ${plural(text.length, 'character')}, from 0 on, so there is no character ${given}.`,
    )
  const from = splitsCharacter(text, given) ? given - 1 : given
  const end = most === undefined ? text.length : Math.min(given + most, text.length)
  const to = splitsCharacter(text, end) ? end + 1 : end
  return { kind: 'ok', text: `[characters ${from}–${to - 1} of ${text.length}]\n${text.slice(from, to)}` }
}

/** Whether an offset splits a surrogate pair. */
const splitsCharacter = (text: string, at: number): boolean =>
  at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff

function selectLines(text: string, { from_line: from = 1, lines: most }: Range, shown: string): ToolText {
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  if (from > all.length)
    return failed(`${shown} has ${plural(all.length, 'line')}, so there is no line ${from}.`)
  const taken = all.slice(from - 1, most === undefined ? undefined : from - 1 + most)
  if (taken.length === all.length) return { kind: 'ok', text }
  return {
    kind: 'ok',
    text: `[lines ${from}–${from + taken.length - 1} of ${all.length}]\n${taken.join('')}`,
  }
}

const firstBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 8))
    .toString('hex')
    .replace(/..(?=.)/g, '$& ')

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
