import type { Chunk, IngestRun, IngestStore } from '../ports/ingest-store.ts'

const AT_ONCE = 64

/** The pages of a run's chunks, in order. */
export async function* eachPage(run: IngestRun, store: IngestStore): AsyncGenerator<readonly Chunk[]> {
  let after = 0
  for (;;) {
    const page = await store.readChunks(run, after, AT_ONCE)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.ordinal
  }
}

export async function* eachChunk(run: IngestRun, store: IngestStore): AsyncGenerator<Chunk> {
  for await (const page of eachPage(run, store)) yield* page
}
