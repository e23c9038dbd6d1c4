import type { SourceId } from '@parley/contracts'
import { ingest } from '@parley/knowledge'
import { openLearning } from '@parley/postgres'

/** Takes a source of plain text through all phases, as a worker would. */
export async function learn(databaseUrl: string, sourceId: SourceId): Promise<void> {
  const learning = openLearning({ databaseUrl })
  const { ingest: store } = learning
  try {
    const run = await store.openRun(sourceId)
    if (!run) throw new Error(`There is no run of ${sourceId}`)
    await ingest(run, {
      store,
      extractText: async ({ bytes, mediaType }) => ({
        mediaType,
        segments: [{ text: Buffer.from(bytes).toString(), place: { line: 1 } }],
      }),
      signal: new AbortController().signal,
    })
  } finally {
    await learning.close()
  }
}
