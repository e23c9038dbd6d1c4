import type { Readable } from 'node:stream'
import { MAX_MESSAGE_LENGTH, PlatformError } from '@parley/contracts'
import { type Io, decodeText } from '../io.ts'
import { type Attachment, type ContextFile, MAX_MEDIA_BYTES, withFiles } from './attached-files.ts'

/** A character takes at most four bytes. */
const MAX_INPUT = 4 * MAX_MESSAGE_LENGTH

/** All of standard input as one message. */
export async function readInput(input: Readable): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array)
    chunks.push(bytes)
    size += bytes.length
    if (size > MAX_INPUT) throw tooLong()
  }
  const text = decodeText(Buffer.concat(chunks))
  if (text === undefined) {
    throw new PlatformError('validation', {
      message: 'Standard input is not UTF-8 text. Nothing was sent.',
      fix: 'Convert it first, for instance with `iconv -t UTF-8`.',
    })
  }
  return text.replace(/\r?\n$/, '')
}

/** The limit of the API. */
const MAX_MEDIA = 10

interface Message {
  readonly text: string
  readonly media: readonly Attachment[]
}

/** The message with its files; throws if it cannot be sent. */
export function composeMessage(text: string, files: readonly ContextFile[]): Message {
  const media = files.flatMap((file) => ('media' in file ? [file.media] : []))
  const message = withFiles(text.trim() === '' ? '' : text, files)
  if (message === '') {
    throw new PlatformError('validation', {
      message:
        media.length === 0
          ? 'The message is empty. Nothing was sent.'
          : 'The message has no text. Nothing was sent.',
      fix: 'Write one after --message, or pipe it in.',
    })
  }
  if (message.length > MAX_MESSAGE_LENGTH) throw tooLong()
  const size = media.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
  if (media.length > MAX_MEDIA || size > MAX_MEDIA_BYTES) throw tooMuchMedia()
  return { text: message, media }
}

const tooMuchMedia = () =>
  new PlatformError('validation', {
    message: `At most ${MAX_MEDIA} images and PDFs of ${MAX_MEDIA_BYTES / 1_000_000} MB in total can be sent with a message. Nothing was sent.`,
    fix: 'Send them in several messages, or make them smaller.',
  })

function tooLong(): PlatformError {
  const most = MAX_MESSAGE_LENGTH.toLocaleString('en')
  return new PlatformError('validation', {
    message: `The message with its files has more than ${most} characters. Nothing was sent.`,
    fix: 'Send it in parts, or attach fewer files.',
  })
}

/** The source of the message: command line, standard input or prompt. */
type MessageInput =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'piped'; readonly text: string }
  | { readonly kind: 'prompt' }

/** A dash, or no message without a terminal, reads standard input. */
export async function readMessage(message: string | undefined, { stdin }: Io): Promise<MessageInput> {
  const isPiped = message === '-' || (message === undefined && !stdin.isTTY)
  if (isPiped) return { kind: 'piped', text: await readInput(stdin) }
  return message === undefined ? { kind: 'prompt' } : { kind: 'written', text: message }
}

export const promptUnavailable = () =>
  new PlatformError('validation', {
    message: 'With --json there is no prompt.',
    fix: 'Give the message with --message TEXT, or pipe it in.',
  })
