/** Reads one file after another, as separate threads would. */
import { parentPort } from 'node:worker_threads'
import type { Segment } from '@parley/knowledge'
import { collectSegments, readFile } from '../read-file.ts'
import type { FileToRead } from '../thread/read-in-thread.ts'

// As in the thread of a single file.
process.on('unhandledRejection', () => undefined)

parentPort?.on('message', (file: FileToRead) => void readAndPost(file))

async function readAndPost({ bytes, mediaType, limits }: FileToRead): Promise<void> {
  const read = (keep: (segments: readonly Segment[]) => void) => readFile(bytes, mediaType, limits, keep)
  const outcome = await collectSegments(mediaType, read).catch((failure: unknown) => ({ failure }))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(outcome)
}
