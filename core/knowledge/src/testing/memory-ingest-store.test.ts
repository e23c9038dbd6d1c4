import { describeIngestStore } from './ingest-store.conformance.ts'
import { memoryIngestStore } from './memory-ingest-store.ts'

describeIngestStore('memory', async () => memoryIngestStore())
