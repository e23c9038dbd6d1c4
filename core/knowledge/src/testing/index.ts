/** A store in memory, and the suite that it and the real one both pass. */
export { describeIngestStore } from './ingest-store.conformance.ts'
export type { AddedSource, IngestStoreUnderTest, KeptFact } from './ingest-store-under-test.ts'
export { memoryIngestStore } from './memory-ingest-store.ts'
