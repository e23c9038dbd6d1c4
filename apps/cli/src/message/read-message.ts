import type { Readable } from 'node:stream'
import { MAX_MESSAGE_LENGTH, PlatformError } from '@parley/contracts'
import { type Io, decodeText } from '../io.ts'
import { type Attachment, type ContextFile, LARGEST_MEDIA, withFiles } from './attached-files.ts'

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

/** The limit of the API. */
const MOST_MEDIA = 10

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
      mend: 'Write one after --message, or pipe it in.',
    })
  }
  if (message.length > MAX_MESSAGE_LENGTH) throw tooLong()
  const size = media.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
  if (media.length > MOST_MEDIA || size > LARGEST_MEDIA) throw tooMuchMedia()
  return { text: message, media }
}

const tooMuchMedia = () =>
  new PlatformError('validation', {
    message: `At most ${MOST_MEDIA} images and PDFs of ${LARGEST_MEDIA / 1_000_000} MB in total can be sent with a message. Nothing was sent.`,
    mend: 'Send them in several messages, or make them smaller.',
  })

function tooLong(): PlatformError {
  const most = MAX_MESSAGE_LENGTH.toLocaleString('en')
  return new PlatformError('validation', {
    message: `The message with its files has more than ${most} characters. Nothing was sent.`,
    mend: 'Send it in parts, or attach fewer files.',
  })
}

/** The source of the message: command line, standard input or prompt. */
type Given =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'piped'; readonly text: string }
  | { readonly kind: 'prompt' }

/** A dash, or no message without a terminal, reads standard input. */
export async function givenText(message: string | undefined, { stdin }: Io): Promise<Given> {
  const isPiped = message === '-' || (message === undefined && !stdin.isTTY)
  if (isPiped) return { kind: 'piped', text: await readInput(stdin) }
  return message === undefined ? { kind: 'prompt' } : { kind: 'written', text: message }
}

export const promptless = () =>
  new PlatformError('validation', {
    message: 'With --json there is no prompt.',
    mend: 'Give the message with --message TEXT, or pipe it in.',
  })
