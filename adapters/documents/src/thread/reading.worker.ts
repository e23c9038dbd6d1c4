import { parentPort, workerData } from 'node:worker_threads'
import { findFormat } from '../formats.ts'
import { readFile } from '../read-file.ts'
import type { FileToRead, ReadingMessage } from './read-in-thread.ts'

const { bytes, mediaType, limits } = workerData as FileToRead
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const post = (message: ReadingMessage) => parentPort?.postMessage(message)

// On broken files the PDF library leaves rejected promises unhandled, then repairs the file and continues.
process.on('unhandledRejection', () => undefined)

await findFormat(mediaType)?.loadReader()
post({ kind: 'loaded' })
const outcome = await readFile(bytes, mediaType, limits, (segments) => {
  post({ kind: 'segments', segments: JSON.stringify(segments) })
})
post({ kind: 'end', outcome })
