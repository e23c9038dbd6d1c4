import { z } from 'zod'
import { FactId, PatchId, SourceId } from './ids.ts'
import { NamespaceName } from './reflection.ts'
import { strictObject } from './strict-object.ts'

/** Where in a source something stands. */
export const Place = z.object({
  page: z.int().positive().optional(),
  line: z.int().positive().optional(),
  heading: z.string().optional(),
  speaker: z.string().optional(),
  /** Of a recording: the time from its beginning, as 00:01:02. */
  offset: z.string().optional(),
  /** When it was said or written, as far as the source says: a date, or a date and time. */
  date: z.string().optional(),
})
export type Place = z.infer<typeof Place>

/** The outcomes that an ingest run ends with. */
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
  /** Of the phase that runs. */
  progress: z.object({ done: z.int().min(0), total: z.int().min(0) }).optional(),
  /** Why it failed or was rejected, and how to mend it. */
  problem: z.string().optional(),
  chunks: z.int().min(0),
  facts: z.int().min(0),
})
export type Source = z.infer<typeof Source>

export const FactState = z.enum(['candidate', 'active', 'rejected'])
export type FactState = z.infer<typeof FactState>

/** The words that bear a fact out, exactly as they stand in a source. */
export const Evidence = z.object({
  sourceId: SourceId,
  quote: z.string(),
  place: Place,
  /** Said in a session or in a correction: shown to admins alone. */
  isConfided: z.literal(true).optional(),
})
export type Evidence = z.infer<typeof Evidence>

export const Fact = z.object({
  id: FactId,
  namespace: NamespaceName,
  subject: z.string(),
  /** What is said of the subject, as a short word in snake case: works_as, lives_in, likes … */
  predicate: z.string(),
  object: z.string(),
  /** As a sentence. */
  statement: z.string(),
  confidence: z.number().min(0).max(1),
  state: FactState,
  validFrom: z.string().optional(),
  validTo: z.string().optional(),
  /** What it takes the place of; within a patch that is not applied, what it would take the place of. */
  supersedesFactId: FactId.optional(),
  /** The active fact that says the same, which this one bears out: it counts with it, and not beside it. */
  repeatsFactId: FactId.optional(),
  /** Since when it is told no more. */
  supersededAt: z.iso.datetime().optional(),
  /** The fact that took its place, where one did. */
  supersededBy: FactId.optional(),
  patchId: PatchId,
  evidence: z.array(Evidence),
  createdAt: z.iso.datetime(),
})
export type Fact = z.infer<typeof Fact>

export const PatchStatus = z.enum(['proposed', 'applied', 'rejected', 'reverted'])
export type PatchStatus = z.infer<typeof PatchStatus>

/** What the rules found of one fact of a patch. */
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
  /** Facts that become superseded with it. */
  supersedes: z.array(Fact),
  decidedBy: z.string().optional(),
  createdAt: z.iso.datetime(),
  decidedAt: z.iso.datetime().optional(),
})
export type Patch = z.infer<typeof Patch>

/** One piece of what was found for a question, with where it comes from. */
export const EvidenceItem = z.object({
  kind: z.enum(['chunk', 'fact']),
  text: z.string(),
  namespace: NamespaceName,
  source: z.object({ id: SourceId, title: z.string() }),
  place: Place,
  score: z.number(),
  /** Of a correction: how the statements begin that it takes the place of, such as “Ada lives in”, once for each name. */
  corrects: z.array(z.string()).min(1).optional(),
  /** The hash of a passage as it stands in its source, where corrected words were struck out of it. */
  sha256: z.string().optional(),
})
export type EvidenceItem = z.infer<typeof EvidenceItem>

export const Retrieved = z.object({
  evidence: z.array(EvidenceItem),
  /** The time was up before all was looked through. */
  partial: z.boolean().optional(),
  tookMs: z.number().optional(),
})
export type Retrieved = z.infer<typeof Retrieved>

/** The largest source, in bytes. */
export const MAX_SOURCE_BYTES = 50_000_000

export const AddSource = strictObject({
  title: z.string().trim().min(1).max(300),
  namespace: NamespaceName,
  text: z.string().min(1).max(10_000_000),
})
export type AddSource = z.infer<typeof AddSource>

/** What a person says is wrong: the fact, by its id or in words, and how it is instead. */
export const ProposeCorrection = strictObject({
  fact: z.string().trim().min(1).max(1_000),
  correction: z.string().trim().min(1).max(600),
})
export type ProposeCorrection = z.infer<typeof ProposeCorrection>

export const ReviewPatch = z.enum(['approve', 'reject', 'revert'])
export type ReviewPatch = z.infer<typeof ReviewPatch>
