import type { Chunk, IngestRun, IngestStore } from '../ports/ingest-store.ts'

const AT_ONCE = 64

/** The chunks of a run in order, read a page at a time. */
export async function* eachChunk(run: IngestRun, store: IngestStore): AsyncGenerator<Chunk> {
  let after = 0
  for (;;) {
    const page = await store.readChunks(run, after, AT_ONCE)
    const last = page.at(-1)
    if (!last) return
    yield* page
    after = last.ordinal
  }
}
