/** An ingest store in memory, and the conformance suite for all ingest stores. */
export { describeIngestStore } from './ingest-store.conformance.ts'
export type { AddedSource, IngestStoreUnderTest, StoredFact } from './ingest-store-under-test.ts'
export { memoryIngestStore } from './memory-ingest-store.ts'
