import { z } from 'zod'
import { FactId, PatchId, SourceId } from './ids.ts'
import { createPageSchema, PageQuery } from './page.ts'
import { NamespaceName } from './reflection.ts'
import { strictObject } from './strict-object.ts'

/** A position in a source. */
export const Place = z.object({
  page: z.int().positive().optional(),
  line: z.int().positive().optional(),
  heading: z.string().optional(),
  speaker: z.string().optional(),
  /** In a recording: the time since its start, as 00:01:02. */
  offset: z.string().optional(),
  /** When it was said or written, if the source says so: a date, or a date and time. */
  date: z.string().optional(),
})
export type Place = z.infer<typeof Place>

/** How an ingest run ended. */
export const IngestOutcome = z.enum(['completed', 'eval_rejected', 'failed', 'duplicate_skipped'])
export type IngestOutcome = z.infer<typeof IngestOutcome>

export const IngestPhase = z.enum(['read', 'extract', 'split', 'facts', 'evaluate', 'apply'])
export type IngestPhase = z.infer<typeof IngestPhase>

export const Source = z.object({
  id: SourceId,
  title: z.string(),
  namespace: NamespaceName,
  mediaType: z.string(),
  fileName: z.string().optional(),
  bytes: z.int().min(0),
  addedAt: z.iso.datetime(),
  state: z.enum(['queued', 'running', 'removing', ...IngestOutcome.options]),
  phase: IngestPhase.optional(),
  /** Of the running phase. */
  progress: z.object({ done: z.int().min(0), total: z.int().min(0) }).optional(),
  /** Why it failed or was rejected, and how to fix it. */
  problem: z.string().optional(),
  chunks: z.int().min(0),
  facts: z.int().min(0),
})
export type Source = z.infer<typeof Source>

export const FactState = z.enum(['candidate', 'active', 'rejected'])
export type FactState = z.infer<typeof FactState>

/** The exact words of a source that support a fact. */
export const Evidence = z.object({
  sourceId: SourceId,
  quote: z.string(),
  place: Place,
  /** From a conversation or a correction: shown to admins only. */
  isConfided: z.literal(true).optional(),
})
export type Evidence = z.infer<typeof Evidence>

export const Fact = z.object({
  id: FactId,
  namespace: NamespaceName,
  subject: z.string(),
  /** In snake case, such as works_as, lives_in, likes. */
  predicate: z.string(),
  object: z.string(),
  statement: z.string(),
  confidence: z.number().min(0).max(1),
  state: FactState,
  validFrom: z.string().optional(),
  validTo: z.string().optional(),
  /** The fact that it replaces, or would replace if its patch were applied. */
  supersedesFactId: FactId.optional(),
  /** The active fact with the same statement: this one supports it and is not counted separately. */
  repeatsFactId: FactId.optional(),
  /** When it stopped being active. */
  supersededAt: z.iso.datetime().optional(),
  /** The fact that replaced it, if any. */
  supersededBy: FactId.optional(),
  patchId: PatchId,
  evidence: z.array(Evidence),
  createdAt: z.iso.datetime(),
})
export type Fact = z.infer<typeof Fact>

export const PatchStatus = z.enum(['proposed', 'applied', 'rejected', 'reverted'])
export type PatchStatus = z.infer<typeof PatchStatus>

/** A rule's finding about a fact of a patch. */
export const Finding = z.object({
  factId: FactId.optional(),
  rule: z.enum([
    'schema',
    'evidence',
    'confidence',
    'contradiction',
    'injection',
    'third_party',
    'duplicate',
    'correction',
    'extraction',
  ]),
  severity: z.enum(['reject', 'ask', 'note']),
  message: z.string(),
})
export type Finding = z.infer<typeof Finding>

export const Patch = z.object({
  id: PatchId,
  origin: z.enum(['ingest', 'correction']),
  sourceId: SourceId.optional(),
  status: PatchStatus,
  findings: z.array(Finding),
  facts: z.array(Fact),
  /** The facts that it replaces. */
  supersedes: z.array(Fact),
  decidedBy: z.string().optional(),
  createdAt: z.iso.datetime(),
  decidedAt: z.iso.datetime().optional(),
})
export type Patch = z.infer<typeof Patch>

/** A search result with its source. */
export const EvidenceItem = z.object({
  kind: z.enum(['chunk', 'fact']),
  text: z.string(),
  namespace: NamespaceName,
  source: z.object({ id: SourceId, title: z.string() }),
  place: Place,
  score: z.number(),
  /** For a correction: the beginnings of the statements that it replaces, such as “Ada lives in”, one for each name. */
  corrects: z.array(z.string()).min(1).optional(),
  /** The hash of the original passage, if corrected words were removed from it. */
  sha256: z.string().optional(),
})
export type EvidenceItem = z.infer<typeof EvidenceItem>

export const RetrievalResult = z.object({
  evidence: z.array(EvidenceItem),
  /** The time limit was reached before everything was searched. */
  partial: z.boolean().optional(),
  tookMs: z.number().optional(),
})
export type RetrievalResult = z.infer<typeof RetrievalResult>

/** The largest source, in bytes. */
export const MAX_SOURCE_BYTES = 50_000_000

export const AddSource = strictObject({
  title: z.string().trim().min(1).max(300),
  namespace: NamespaceName,
  text: z.string().min(1).max(10_000_000),
})
export type AddSource = z.infer<typeof AddSource>

/** The wrong fact, by its id or in words, and the correction. */
export const ProposeCorrection = strictObject({
  fact: z.string().trim().min(1).max(1_000),
  correction: z.string().trim().min(1).max(600),
})
export type ProposeCorrection = z.infer<typeof ProposeCorrection>

export const ReviewPatch = z.enum(['approve', 'reject', 'revert'])
export type ReviewPatch = z.infer<typeof ReviewPatch>

/** The status that a patch must have for each decision. */
export const REVIEWED_STATUS: Readonly<Record<ReviewPatch, PatchStatus>> = {
  approve: 'proposed',
  reject: 'proposed',
  revert: 'applied',
}

export const SourcePage = createPageSchema(Source)
export const PatchPage = createPageSchema(Patch)

/** The id of the patch that will hold the correction. */
export const CorrectionAccepted = z.object({ patchId: PatchId })
export type CorrectionAccepted = z.infer<typeof CorrectionAccepted>

export const AskReflection = strictObject({
  query: z.string().trim().min(1).max(2_000),
  namespaces: z.array(NamespaceName).max(100).optional(),
  limit: z.int().min(1).max(50).default(8),
  /** `public` returns only what a public session would find now. */
  audience: z.enum(['private', 'public']).default('private'),
})
export type AskReflection = z.input<typeof AskReflection>

/** A passage of a source's text. */
const SourcePassage = z.object({
  /** From 1. */
  ordinal: z.int().positive(),
  text: z.string(),
  place: Place,
})
export type SourcePassage = z.infer<typeof SourcePassage>

export const SourceText = z.object({
  items: z.array(SourcePassage),
  /** The number of passages; 0 before the source is read, and during its removal. */
  count: z.int().min(0),
  /** The passage with the requested words. */
  foundAt: z.int().positive().optional(),
})
export type SourceText = z.infer<typeof SourceText>

/** `time`: when the fact was true, latest first, undated last. `added`: when it was learned. */
export const FactOrder = z.enum(['added', 'time', 'subject'])
export type FactOrder = z.infer<typeof FactOrder>

/** A fact's state; `superseded` facts were active until others replaced them. */
export const FactChoice = z.enum([...FactState.options, 'superseded'])
export type FactChoice = z.infer<typeof FactChoice>

export const FactQuery = PageQuery.extend({
  state: FactChoice.optional(),
  namespace: NamespaceName.optional(),
  /** Facts of this source, including active ones that repeat a fact of another source. */
  sourceId: SourceId.optional(),
  /** Words or parts of words; the statement must contain all of them. */
  search: z.string().trim().max(200).optional(),
  order: FactOrder.optional(),
  /** How many facts to skip, instead of a cursor. */
  after: z.coerce.number().int().min(0).max(10_000_000).optional(),
})
export type FactQuery = z.infer<typeof FactQuery>

export const FactPage = createPageSchema(Fact).extend({
  /** The total number; present in requests with `after`. */
  count: z.int().min(0).optional(),
})

/** The versions of a fact, earliest first. */
export const FactHistory = z.object({ items: z.array(Fact) })
