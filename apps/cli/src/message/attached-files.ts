import { type FileHandle, open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { MEDIA_HEAD_BYTES, detectMediaType } from '@parley/engine'
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

export interface Attachment {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly name: string
}

export type ContextFile = TextFile | MediaFile

export const MAX_FILE_BYTES = 1_000_000
export const MAX_MEDIA_BYTES = 5_000_000

/** Reads the attachments of a message; fails before anything is sent. */
export const readContextFiles = (paths: readonly string[]): Promise<readonly ContextFile[]> =>
  Promise.all(paths.map(readContextFile))

/** A message followed by its text files, each in a named block. */
export const withFiles = (text: string, files: readonly ContextFile[]): string =>
  [text, ...files.flatMap((file) => ('text' in file ? [fenceFile(file)] : []))]
    .filter((part) => part !== '')
    .join('\n\n')

/** The reverse of `withFiles`. */
export function splitFiles(message: string): { text: string; files: readonly TextFile[] } {
  const files = Array.from(message.matchAll(BLOCK), ([, path = '', text = '']) => ({ path, text }))
  return { text: message.replace(BLOCK, '').trim(), files }
}

const BLOCK = /(?:^|\n\n)<file path="([^"\n]*)">\n([\s\S]*?)\n<\/file>(?=\n\n|$)/g

/** A closing tag within the file must not end the block. */
const fenceFile = ({ path, text }: TextFile): string =>
  `<file path="${path.replace(/["\p{Cc}]/gu, '_')}">\n${text.replaceAll('</file>', '<\\/file>')}\n</file>`

async function readContextFile(path: string): Promise<ContextFile> {
  const stats = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause)
  })
  if (stats.isDirectory()) throw refused(path, 'is a folder; name the files in it that matter')
  if (!stats.isFile()) throw refused(path, 'is not a regular file')
  try {
    await using file = await open(path)
    return await readContent(path, file)
  } catch (cause) {
    throw cause instanceof PlatformError ? cause : unreadable(path, cause as NodeJS.ErrnoException)
  }
}

async function readContent(path: string, file: FileHandle): Promise<ContextFile> {
  const { size } = await file.stat()
  const head = await file.read(Buffer.alloc(MEDIA_HEAD_BYTES), 0, MEDIA_HEAD_BYTES, 0)
  const mediaType = detectMediaType(head.buffer.subarray(0, head.bytesRead))
  const most = mediaType === undefined ? MAX_FILE_BYTES : MAX_MEDIA_BYTES
  if (size > most) {
    const kind = mediaType === undefined ? '' : ' of images and PDFs'
    throw refused(
      path,
      `has ${(size / 1_000_000).toFixed(1)} MB; at most ${most / 1_000_000} MB${kind} can be sent with a message`,
    )
  }
  const bytes = await file.readFile()
  if (mediaType !== undefined) {
    return { path, media: { mediaType, bytes, name: basename(path).slice(0, MAX_NAME) } }
  }
  const text = decodeText(bytes)
  if (text === undefined || text.includes('\0')) {
    throw refused(path, 'is not UTF-8 text, a PNG, JPEG, GIF or WebP image, or a PDF')
  }
  return { path, text: text.replace(/\n$/, '') }
}

const MAX_NAME = 200

const refused = (path: string, reason: string): PlatformError =>
  new PlatformError('validation', { message: `The file ${path} ${reason}. Nothing was sent.`, path })

function unreadable(path: string, cause: NodeJS.ErrnoException): PlatformError {
  if (cause.code === 'ENOENT') {
    const message = `There is no file ${path}. Nothing was sent.`
    return new PlatformError('validation', { message, path }, { cause })
  }
  return refused(path, `cannot be read (${cause.code ?? cause.message})`)
}

interface MentionedFiles {
  readonly files: readonly ContextFile[]
  /** Words with an @ that are not files here. */
  readonly unknown: readonly string[]
}

/** The files mentioned with an @. A quoted one must exist. */
export async function readMentionedFiles(text: string): Promise<MentionedFiles> {
  const mentions = await Promise.all(findMentions(text).map(resolveMention))
  const paths = mentions.flatMap(({ path }) => (path === undefined ? [] : [path]))
  return {
    files: await readContextFiles([...new Set(paths)]),
    unknown: mentions.flatMap(({ path, mention }) => (path === undefined ? [mention] : [])),
  }
}

/** Notices about the mentions. */
export function mentionNotices({ files, unknown }: MentionedFiles): readonly string[] {
  return [
    ...(files.length === 0 ? [] : [`with ${files.map(({ path }) => path).join(', ')}`]),
    ...unknown.map((mention) => `@${mention} is not a file here; sent as text`),
  ].map(neutralise)
}

interface Mention {
  readonly mention: string
  readonly isQuoted: boolean
}

const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"@]+))/g

const findMentions = (text: string): readonly Mention[] =>
  Array.from(text.matchAll(MENTION), ([, quoted, bare = '']) => ({
    mention: quoted ?? bare,
    isQuoted: quoted !== undefined,
  }))

/** Punctuation may follow the name. */
async function resolveMention({ mention, isQuoted }: Mention) {
  if (isQuoted || (await exists(mention))) return { mention, path: mention }
  const shorter = mention.replace(/[.,;:!?)\]}'’]+$/, '')
  return { mention: shorter, path: shorter !== '' && (await exists(shorter)) ? shorter : undefined }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
