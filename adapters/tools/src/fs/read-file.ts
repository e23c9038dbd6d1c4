import { basename } from 'node:path'
import { MediaHandle, ReadFileInput, toolInput } from '@parley/contracts'
import { type Plan, refuse, type Refusal, type Tool, type ToolText } from '@parley/engine'
import { type FileHost, MOST_BYTES } from './file-host.ts'
import { mediaTypeOf } from './media-type-of.ts'
import { noSuchFile } from './no-such-file.ts'
import type { Place, Scope } from './open-scope.ts'
import { printablePath } from './printable-path.ts'
import { readBytes, sha256 } from './read-bytes.ts'
import { decodeText } from './text-encoding.ts'

type Range = Pick<ReadFileInput, 'from_line' | 'lines'>

export const readFile = (host: FileHost): Tool<ReadFileInput> => ({
  name: 'read_file',
  description:
    'Reads a text file, or a range of its lines. Pictures (PNG, JPEG, GIF, WebP) and PDFs are shown as such. Also reads media:// handles that results name.',
  input: toolInput(ReadFileInput),
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

function planMedia(path: string, range: Range, { session }: FileHost): Plan | Refusal {
  const handle = MediaHandle.safeParse(path)
  if (!handle.success)
    return refuse(
      `${printablePath(path)} is no handle: they are media://sha256- and 64 hexadecimal digits.`,
      'validation',
    )
  return {
    kind: 'plan',
    target: handle.data,
    origin: handle.data,
    async carryOut() {
      const media = await session.readMedia(handle.data)
      if (!media) return failed(`There is nothing under ${handle.data} that this session may read.`)
      return show(media.bytes, handle.data, range)
    },
  }
}

async function read(
  scope: Scope,
  place: Place,
  range: Range,
  host: FileHost,
  signal: AbortSignal,
): Promise<ToolText> {
  const file = await readBytes(scope, place.path, MOST_BYTES, signal)
  if (file.kind === 'forbidden')
    return { kind: 'failed', code: 'tool_denied', text: `${place.shown} ${file.why}.` }
  if (file.kind !== 'read') return failed(`${place.shown} ${file.why}.`)
  host.seen.saw(place.path, sha256(file.bytes))
  return show(file.bytes, place.shown, range)
}

function show(bytes: Uint8Array, shown: string, range: Range): ToolText {
  const mediaType = mediaTypeOf(bytes)
  if (mediaType !== undefined)
    return {
      kind: 'ok',
      text: `${shown} is shown as ${mediaType}, ${bytes.length} bytes.`,
      media: [{ mediaType, bytes, name: basename(shown).slice(0, 200) }],
    }
  const decoded = decodeText(bytes)
  if (decoded.kind === 'binary')
    return failed(
      `${shown} holds no text: ${bytes.length} bytes of an unknown kind, beginning with ${startOf(bytes)}.`,
    )
  const note = decoded.isLossy ? '[some bytes are no UTF-8, and stand here as \u{FFFD}]\n' : ''
  return withNote(linesOf(decoded.text, range, shown), note)
}

const withNote = (said: ToolText, note: string): ToolText =>
  said.kind === 'ok' ? { ...said, text: `${note}${said.text}` } : said

function linesOf(text: string, { from_line: from = 1, lines: most }: Range, shown: string): ToolText {
  if (text === '') return { kind: 'ok', text: '[the file is empty]' }
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  if (from > all.length) return failed(`${shown} has ${all.length} lines, so there is no line ${from}.`)
  const taken = all.slice(from - 1, most === undefined ? undefined : from - 1 + most)
  if (taken.length === all.length) return { kind: 'ok', text }
  return {
    kind: 'ok',
    text: `[lines ${from}–${from + taken.length - 1} of ${all.length}]\n${taken.join('')}`,
  }
}

const startOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, 8))
    .toString('hex')
    .replace(/..(?=.)/g, '$& ')

const failed = (text: string): ToolText => ({ kind: 'failed', code: 'tool_failed', text })
