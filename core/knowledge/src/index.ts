/** Knowledge: turns a person's sources into evidence. Start reading at phases/ingest.ts. */
export { isCreator } from './facts/names.ts'
export { createModelExtractor } from './facts/model-extractor.ts'
export { ONE_AT_A_TIME, OPPOSITES, PREDICATES_NAMING_PEOPLE } from './facts/predicates.ts'
export { type EmbedHost, embedChunks, createMaskedEmbedder } from './phases/embed-chunks.ts'
export type {
  ActiveFact,
  CandidateFact,
  Chunk,
  Evaluation,
  ExtractedText,
  FactExtractor,
  IngestRun,
  IngestStore,
  NewFact,
  OriginalFile,
  Segment,
  UnreadableFile,
} from './ports/ingest-store.ts'
export { ingest } from './phases/ingest.ts'
export { proposeCorrection } from './facts/correct-fact.ts'
export type { CitationReader, CitationStore } from './ports/citation-store.ts'
export type { Embedder, EmbeddingsStore } from './ports/embeddings-store.ts'
export type {
  CorrectionRequest,
  AuditEntry,
  Correction,
  FactFilter,
  KnowledgeReader,
  LearningStore,
  MemberReach,
  Membership,
  NewSource,
  ResultPage,
  ReflectionStore,
  ConfidentialFilter,
  EndedSessions,
  PublishChangeResult,
} from './ports/reflection-store.ts'
export type {
  Retriever,
  SearchRequest,
  SearchResults,
  Searcher,
  VectorSearchRequest,
} from './ports/retriever.ts'
export { type AppliedCorrection, applyCorrections, replaceCorrected } from './retrieval/apply-corrections.ts'
export { createRetrievalCache, type RetrievalCache } from './retrieval/retrieval-cache.ts'
export type { RetrievalScope } from './retrieval/retrieval-scope.ts'
export { BUDGET_MS, type RetrievalHost, retrieve } from './retrieval/retrieve.ts'
