import type { Readable } from 'node:stream'
import { MAX_MESSAGE_LENGTH, PlatformError } from '@parley/contracts'
import { type ContextFile, withFiles } from './context-files.ts'
import { decodeText } from './decode-text.ts'

/** A character takes at most four bytes. */
const LARGEST_INPUT = 4 * MAX_MESSAGE_LENGTH

/** All of standard input as one message. */
export async function readInput(input: Readable): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array)
    chunks.push(bytes)
    size += bytes.length
    if (size > LARGEST_INPUT) throw tooLong()
  }
  const text = decodeText(Buffer.concat(chunks))
  if (text === undefined) {
    throw new PlatformError('validation', {
      message: 'Standard input is not UTF-8 text. Nothing was sent.',
      mend: 'Convert it first, for instance with `iconv -t UTF-8`.',
    })
  }
  return text.replace(/\r?\n$/, '')
}

/** What is sent: the text and its files, or the reason why it cannot be. */
export function composeMessage(text: string, files: readonly ContextFile[]): string {
  const message = withFiles(text.trim() === '' ? '' : text, files)
  if (message === '') {
    throw new PlatformError('validation', {
      message: 'The message is empty. Nothing was sent.',
      mend: 'Write one after --message, or pipe it in.',
    })
  }
  if (message.length > MAX_MESSAGE_LENGTH) throw tooLong()
  return message
}

function tooLong(): PlatformError {
  const most = MAX_MESSAGE_LENGTH.toLocaleString('en')
  return new PlatformError('validation', {
    message: `The message with its files has more than ${most} characters. Nothing was sent.`,
    mend: 'Send it in parts, or give fewer files.',
  })
}
