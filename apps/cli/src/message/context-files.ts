import { readFile, stat } from 'node:fs/promises'
import { PlatformError } from '@parley/contracts'
import { decodeText } from './decode-text.ts'

export interface ContextFile {
  readonly path: string
  readonly text: string
}

export const LARGEST_FILE = 1_000_000

/** The text files that go along with a message; what cannot be sent is told before anything is. */
export const readContextFiles = (paths: readonly string[]): Promise<readonly ContextFile[]> =>
  Promise.all(paths.map(readContextFile))

/** A message with its files below it, each fenced off and named. */
export const withFiles = (text: string, files: readonly ContextFile[]): string =>
  [text, ...files.map(fenced)].filter((part) => part !== '').join('\n\n')

/** What `withFiles` joined. */
export function splitFiles(message: string): { text: string; files: readonly ContextFile[] } {
  const files = Array.from(message.matchAll(BLOCK), ([, path = '', text = '']) => ({ path, text }))
  return { text: message.replace(BLOCK, '').trim(), files }
}

const BLOCK = /(?:^|\n\n)<file path="([^"\n]*)">\n([\s\S]*?)\n<\/file>(?=\n\n|$)/g

/** A closing tag within the file must not end the block. */
const fenced = ({ path, text }: ContextFile): string =>
  `<file path="${path.replace(/["\p{Cc}]/gu, '_')}">\n${text.replaceAll('</file>', '<\\/file>')}\n</file>`

async function readContextFile(path: string): Promise<ContextFile> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause)
  })
  if (found.isDirectory()) throw refused(path, 'is a folder; name the files in it that matter')
  if (!found.isFile()) throw refused(path, 'is not a regular file')
  if (found.size > LARGEST_FILE) {
    const size = (found.size / 1_000_000).toFixed(1)
    throw refused(path, `has ${size} MB; at most 1 MB goes with a message`)
  }
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause)
  })
  const text = decodeText(bytes)
  if (text === undefined || text.includes('\0')) throw refused(path, 'is not UTF-8 text')
  return { path, text: text.replace(/\n$/, '') }
}

const refused = (path: string, why: string): PlatformError =>
  new PlatformError('validation', { message: `The file ${path} ${why}. Nothing was sent.`, path })

function unreadable(path: string, cause: NodeJS.ErrnoException): PlatformError {
  if (cause.code === 'ENOENT') {
    const message = `There is no file ${path}. Nothing was sent.`
    return new PlatformError('validation', { message, path }, { cause })
  }
  return refused(path, `cannot be read (${cause.code ?? cause.message})`)
}
