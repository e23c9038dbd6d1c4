import { createHash } from 'node:crypto'
import type { ReflectionId, SourceId } from '@parley/contracts'
import { extractText } from '@parley/documents'
import { ingest } from '@parley/knowledge'
import { type Learning, openLearning } from '@parley/postgres'
import { rebuildVoice } from '@parley/reflections'

/** Takes a source through all phases, as a worker would; plain text is one passage. */
export async function learn(databaseUrl: string, sourceId: SourceId): Promise<void> {
  const { ingest: store } = learningOf(databaseUrl)
  const run = await store.openRun(sourceId)
  if (!run) throw new Error(`There is no run of ${sourceId}`)
  await ingest(run, {
    store,
    extractText: async (original, signal) =>
      original.mediaType === 'text/plain'
        ? {
            mediaType: original.mediaType,
            segments: [{ text: Buffer.from(original.bytes).toString(), place: { line: 1 } }],
          }
        : extractText(original, signal),
    signal: new AbortController().signal,
  })
}

/** Builds and promotes a reflection’s artifacts, as a worker would. */
export async function rebuild(databaseUrl: string, reflectionId: ReflectionId): Promise<void> {
  await rebuildVoice(reflectionId, learningOf(databaseUrl).artifacts, sha256)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** One connection pool for each test database; dropping the database closes its connections. */
const opened = new Map<string, Learning>()

function learningOf(databaseUrl: string): Learning {
  const known = opened.get(databaseUrl)
  if (known) return known
  const learning = openLearning({ databaseUrl })
  opened.set(databaseUrl, learning)
  return learning
}
