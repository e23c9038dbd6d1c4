import { type FileHandle, open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { decodeText } from '../io.ts'
import { neutralise } from '../render/text.ts'

interface TextFile {
  readonly path: string
  readonly text: string
}

interface MediaFile {
  readonly path: string
  readonly media: Attachment
}

/** An image or a PDF, as it is sent. */
export interface Attachment {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly name: string
}

export type ContextFile = TextFile | MediaFile

export const LARGEST_FILE = 1_000_000
export const LARGEST_MEDIA = 5_000_000

/** The text files, images and PDFs that go along with a message; what cannot be sent is told before anything is. */
export const readContextFiles = (paths: readonly string[]): Promise<readonly ContextFile[]> =>
  Promise.all(paths.map(readContextFile))

/** A message with its text files below it, each fenced off and named. */
export const withFiles = (text: string, files: readonly ContextFile[]): string =>
  [text, ...files.flatMap((file) => ('text' in file ? [fenced(file)] : []))]
    .filter((part) => part !== '')
    .join('\n\n')

/** What `withFiles` joined. */
export function splitFiles(message: string): { text: string; files: readonly TextFile[] } {
  const files = Array.from(message.matchAll(BLOCK), ([, path = '', text = '']) => ({ path, text }))
  return { text: message.replace(BLOCK, '').trim(), files }
}

const BLOCK = /(?:^|\n\n)<file path="([^"\n]*)">\n([\s\S]*?)\n<\/file>(?=\n\n|$)/g

/** A closing tag within the file must not end the block. */
const fenced = ({ path, text }: TextFile): string =>
  `<file path="${path.replace(/["\p{Cc}]/gu, '_')}">\n${text.replaceAll('</file>', '<\\/file>')}\n</file>`

async function readContextFile(path: string): Promise<ContextFile> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause)
  })
  if (found.isDirectory()) throw refused(path, 'is a folder; name the files in it that matter')
  if (!found.isFile()) throw refused(path, 'is not a regular file')
  try {
    await using file = await open(path)
    return await contentOf(path, file)
  } catch (cause) {
    throw cause instanceof PlatformError ? cause : unreadable(path, cause as NodeJS.ErrnoException)
  }
}

async function contentOf(path: string, file: FileHandle): Promise<ContextFile> {
  const { size } = await file.stat()
  const head = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const mediaType = mediaTypeOf(head.buffer.subarray(0, head.bytesRead))
  const most = mediaType === undefined ? LARGEST_FILE : LARGEST_MEDIA
  if (size > most) {
    const what = mediaType === undefined ? 'goes' : 'of images and PDFs goes'
    throw refused(
      path,
      `has ${(size / 1_000_000).toFixed(1)} MB; at most ${most / 1_000_000} MB ${what} with a message`,
    )
  }
  const bytes = await file.readFile()
  if (mediaType !== undefined) {
    return { path, media: { mediaType, bytes, name: basename(path).slice(0, LONGEST_NAME) } }
  }
  const text = decodeText(bytes)
  if (text === undefined || text.includes('\0')) {
    throw refused(path, 'is not UTF-8 text, nor a PNG, JPEG, GIF or WebP image or a PDF')
  }
  return { path, text: text.replace(/\n$/, '') }
}

const LONGEST_NAME = 200

const refused = (path: string, why: string): PlatformError =>
  new PlatformError('validation', { message: `The file ${path} ${why}. Nothing was sent.`, path })

function unreadable(path: string, cause: NodeJS.ErrnoException): PlatformError {
  if (cause.code === 'ENOENT') {
    const message = `There is no file ${path}. Nothing was sent.`
    return new PlatformError('validation', { message, path }, { cause })
  }
  return refused(path, `cannot be read (${cause.code ?? cause.message})`)
}

/** What a file is that a model can look at, by how it begins; undefined for every other one. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')
  return BEGINNINGS.find(({ pattern }) => pattern.test(head))?.mediaType
}

/** How many bytes are enough to tell. */
const HEAD_BYTES = 16

const BEGINNINGS = [
  { mediaType: 'image/png', pattern: /^\x89PNG\r\n/ },
  { mediaType: 'image/jpeg', pattern: /^\xff\xd8\xff/ },
  { mediaType: 'image/gif', pattern: /^GIF8[79]a/ },
  { mediaType: 'image/webp', pattern: /^RIFF[^]{4}WEBP/ },
  { mediaType: 'application/pdf', pattern: /^%PDF-\d/ },
]

interface Mentioned {
  readonly files: readonly ContextFile[]
  /** What begins with an @ and is no file here. */
  readonly unknown: readonly string[]
}

/** The files that a message names by an @. One in quotes is surely meant: if it is not there, that is an error. */
export async function mentionedFiles(text: string): Promise<Mentioned> {
  const found = await Promise.all(mentionsIn(text).map(resolved))
  const paths = found.flatMap(({ path }) => (path === undefined ? [] : [path]))
  return {
    files: await readContextFiles([...new Set(paths)]),
    unknown: found.flatMap(({ path, mention }) => (path === undefined ? [mention] : [])),
  }
}

/** What a person is told of it. */
export function notesOn({ files, unknown }: Mentioned): readonly string[] {
  const given = files.map(({ path }) => path).join(', ')
  return [
    ...(files.length === 0 ? [] : [`with ${given}`]),
    ...unknown.map((mention) => `@${mention} is no file here, and stays as it is`),
  ].map(neutralise)
}

interface Mention {
  readonly mention: string
  readonly isQuoted: boolean
}

const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"@]+))/g

const mentionsIn = (text: string): readonly Mention[] =>
  Array.from(text.matchAll(MENTION), ([, quoted, bare = '']) => ({
    mention: quoted ?? bare,
    isQuoted: quoted !== undefined,
  }))

/** A sentence may go on with a comma right after the name, or end. */
async function resolved({ mention, isQuoted }: Mention) {
  if (isQuoted || (await isThere(mention))) return { mention, path: mention }
  const shorter = mention.replace(/[.,;:!?)\]}'’]+$/, '')
  return { mention: shorter, path: shorter !== '' && (await isThere(shorter)) ? shorter : undefined }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
