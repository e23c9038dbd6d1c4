import { type FileHandle, open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { MAX_MESSAGE_LENGTH, PlatformError } from '@parley/contracts'
import { MEDIA_HEAD_BYTES, detectMediaType } from '@parley/engine'
import { decodeText, describeReadFailure } from '../io.ts'
import { sanitise } from '../render/text.ts'

/** The limit of the API. */
const MAX_MEDIA = 10

interface Message {
  readonly text: string
  readonly media: readonly Attachment[]
}

/** The message with its files; throws if it cannot be sent. */
export function composeMessage(text: string, files: readonly ContextFile[]): Message {
  const media = files.flatMap((file) => ('media' in file ? [file.media] : []))
  const message = appendFiles(text.trim() === '' ? '' : text, files)
  if (message === '') {
    throw new PlatformError('validation', {
      message:
        media.length === 0
          ? 'The message is empty. Nothing was sent.'
          : 'The message has no text. Nothing was sent.',
      fix: 'Write one after --message, or pipe it in.',
    })
  }
  if (message.length > MAX_MESSAGE_LENGTH) throw createTooLongError()
  const size = media.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
  if (media.length > MAX_MEDIA || size > MAX_MEDIA_BYTES) throw createTooMuchMediaError()
  return { text: message, media }
}

const createTooMuchMediaError = () =>
  new PlatformError('validation', {
    message: `At most ${MAX_MEDIA} images and PDFs of ${MAX_MEDIA_BYTES / 1_000_000} MB in total can be sent with a message. Nothing was sent.`,
    fix: 'Send them in several messages, or make them smaller.',
  })

export function createTooLongError(): PlatformError {
  const most = MAX_MESSAGE_LENGTH.toLocaleString('en')
  return new PlatformError('validation', {
    message: `The message with its files has more than ${most} characters. Nothing was sent.`,
    fix: 'Send it in parts, or attach fewer files.',
  })
}

interface TextFile {
  readonly path: string
  readonly text: string
}

export interface Attachment {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly name: string
}

export type ContextFile = TextFile | { readonly path: string; readonly media: Attachment }

export const MAX_FILE_BYTES = 1_000_000
export const MAX_MEDIA_BYTES = 5_000_000

/** Reads the attachments of a message; fails before anything is sent. */
export const readContextFiles = (paths: readonly string[]): Promise<readonly ContextFile[]> =>
  Promise.all(paths.map(readContextFile))

/** A message followed by its text files, each in a named block. */
export const appendFiles = (text: string, files: readonly ContextFile[]): string =>
  [text, ...files.flatMap((file) => ('text' in file ? [fenceFile(file)] : []))]
    .filter((part) => part !== '')
    .join('\n\n')

/** The reverse of `appendFiles`. */
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
    throw createUnreadableFileError(path, cause)
  })
  if (stats.isDirectory()) throw createRefusedFileError(path, 'is a folder; name the files in it that matter')
  if (!stats.isFile()) throw createRefusedFileError(path, 'is not a regular file')
  try {
    await using file = await open(path)
    return await readContent(path, file)
  } catch (cause) {
    throw cause instanceof PlatformError
      ? cause
      : createUnreadableFileError(path, cause as NodeJS.ErrnoException)
  }
}

async function readContent(path: string, file: FileHandle): Promise<ContextFile> {
  const { size } = await file.stat()
  const head = await file.read(Buffer.alloc(MEDIA_HEAD_BYTES), 0, MEDIA_HEAD_BYTES, 0)
  const mediaType = detectMediaType(head.buffer.subarray(0, head.bytesRead))
  const most = mediaType === undefined ? MAX_FILE_BYTES : MAX_MEDIA_BYTES
  if (size > most) {
    const kind = mediaType === undefined ? '' : ' of images and PDFs'
    throw createRefusedFileError(
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
    throw createRefusedFileError(path, 'is not UTF-8 text, a PNG, JPEG, GIF or WebP image, or a PDF')
  }
  return { path, text: text.replace(/\n$/, '') }
}

const MAX_NAME = 200

const createRefusedFileError = (path: string, reason: string): PlatformError =>
  new PlatformError('validation', { message: `The file ${path} ${reason}. Nothing was sent.`, path })

const createUnreadableFileError = (path: string, cause: NodeJS.ErrnoException) =>
  new PlatformError(
    'validation',
    { message: `${describeReadFailure(path, cause)} Nothing was sent.`, path },
    { cause },
  )

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

export function listMentionNotices({ files, unknown }: MentionedFiles): readonly string[] {
  return [
    ...(files.length === 0 ? [] : [`with ${files.map(({ path }) => path).join(', ')}`]),
    ...unknown.map((mention) => `@${mention} is not a file here; sent as text`),
  ].map(sanitise)
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
  if (isQuoted || (await doesExist(mention))) return { mention, path: mention }
  const shorter = mention.replace(/[.,;:!?)\]}'’]+$/, '')
  return { mention: shorter, path: shorter !== '' && (await doesExist(shorter)) ? shorter : undefined }
}

const doesExist = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
