import type { Readable } from 'node:stream'
import { MAX_SOURCE_BYTES, PlatformError } from '@parley/contracts'
import { decodeText } from '../message/decode-text.ts'

/** What comes by standard input, as a file of text. */
export async function standardInput(
  input: Readable,
): Promise<{ readonly file: Blob; readonly fileName: string }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as Uint8Array | string)
    chunks.push(bytes)
    size += bytes.length
    if (size > MAX_SOURCE_BYTES) {
      throw new PlatformError('payload_too_large', {
        message: `Standard input has more than the ${MAX_SOURCE_BYTES} bytes of a source. Nothing was sent.`,
        mend: 'Split it into several.',
      })
    }
  }
  const text = decodeText(Buffer.concat(chunks))
  if (text?.trim()) return { file: new Blob([text], { type: 'text/plain' }), fileName: 'standard-input.txt' }
  throw new PlatformError('validation', {
    message: `Standard input is ${text === undefined ? 'not UTF-8 text' : 'empty'}. Nothing was sent.`,
    mend: 'What is not text is given as a file, by its name.',
  })
}
