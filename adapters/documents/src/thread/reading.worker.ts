import { parentPort, workerData } from 'node:worker_threads'
import { findFormat } from '../formats.ts'
import { readFile } from '../read-file.ts'
import type { FileToRead, ReadingMessage } from './read-in-thread.ts'

const { bytes, mediaType, limits } = workerData as FileToRead
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const postToParent = (message: ReadingMessage) => parentPort?.postMessage(message)

// On broken files the PDF library leaves rejected promises unhandled, then repairs the file and continues.
process.on('unhandledRejection', () => undefined)

await findFormat(mediaType)?.loadReader()
postToParent({ kind: 'loaded' })
const outcome = await readFile(bytes, mediaType, limits, (segments) => {
  postToParent({ kind: 'segments', segments: JSON.stringify(segments) })
})
postToParent({ kind: 'end', outcome })
