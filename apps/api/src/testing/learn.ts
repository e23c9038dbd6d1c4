import type { SourceId } from '@parley/contracts'
import { extractText } from '@parley/documents'
import { ingest } from '@parley/knowledge'
import { openLearning } from '@parley/postgres'

/** Takes a source through all phases, as a worker would; plain text is one passage. */
export async function learn(databaseUrl: string, sourceId: SourceId): Promise<void> {
  const learning = openLearning({ databaseUrl })
  const { ingest: store } = learning
  try {
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
  } finally {
    await learning.close()
  }
}
