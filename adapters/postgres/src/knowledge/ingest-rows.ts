import type { Fact, Finding, PatchId, Place, Reflection, SourceId } from '@parley/contracts'
import type { ActiveFact, CandidateFact, Chunk, IngestRun, NewFact } from '@parley/knowledge'

export interface RunRow extends Pick<IngestRun, 'id' | 'title' | 'done' | 'approval'> {
  readonly epoch: number
  readonly reflection_id: Reflection['id']
  readonly source_id: SourceId
  readonly display_name: string
  readonly creator_name: string | null
  readonly is_told: boolean
}

export interface OriginalRow {
  readonly bytes: Uint8Array
  readonly media_type: string
  readonly file_name: string | null
}

export interface ActiveFactRow extends Pick<Fact, 'id' | 'subject' | 'predicate' | 'object' | 'statement'> {
  readonly subject_key: string
  readonly object_key: string
  readonly valid_from: string | null
  readonly is_correction: boolean
}

export interface CandidateRow extends Omit<ActiveFactRow, 'is_correction'> {
  readonly patch_id: PatchId
  readonly notes: readonly Finding[]
  readonly confidence: number
  readonly valid_to: string | null
  readonly evidence: readonly { quote: string; place: Place; chunk: number }[]
}

interface OpenedRun extends IngestRun {
  readonly epoch: number
}

/** The epoch in which a run was opened; only runs from `openRun` have one. */
export const getEpoch = (run: IngestRun | OpenedRun): number => ('epoch' in run ? run.epoch : 0)

export const toIngestRun = (row: RunRow): OpenedRun => ({
  id: row.id,
  epoch: row.epoch,
  reflectionId: row.reflection_id,
  sourceId: row.source_id,
  title: row.title,
  displayName: row.display_name,
  ...(row.creator_name !== null && { creatorName: row.creator_name }),
  ...(row.is_told && { isFromConversation: true }),
  approval: row.approval,
  done: row.done,
})

export const toActiveFact = (row: ActiveFactRow): ActiveFact => ({
  ...toSharedFields(row),
  ...(row.is_correction && { isCorrection: true }),
})

const toSharedFields = (row: Omit<ActiveFactRow, 'is_correction'>) => ({
  id: row.id,
  subject: row.subject,
  subjectKey: row.subject_key,
  predicate: row.predicate,
  object: row.object,
  objectKey: row.object_key,
  statement: row.statement,
  ...(row.valid_from !== null && { validFrom: row.valid_from }),
})

export const toCandidateFact = (row: CandidateRow): CandidateFact => ({
  ...toSharedFields(row),
  confidence: row.confidence,
  ...(row.valid_to !== null && { validTo: row.valid_to }),
  evidence: row.evidence.map(({ quote, place, chunk }) => ({ quote, place, chunk })),
})

export const toChunkColumns = (chunks: readonly Chunk[]): readonly unknown[] => [
  chunks.map(({ ordinal }) => ordinal),
  chunks.map(({ text }) => toStorable(text)),
  chunks.map(({ place }) => toStorableJson(place)),
]

/** With the position of each in its patch. */
export const toCandidateColumns = (
  sourceId: SourceId,
  facts: readonly (readonly [number, NewFact & { readonly id: string }])[],
): readonly unknown[] => [
  facts.map(([, { id }]) => id),
  facts.map(([ordinal]) => ordinal),
  facts.map(([, { subject }]) => toStorable(subject)),
  facts.map(([, { subjectKey }]) => toStorable(subjectKey)),
  facts.map(([, { predicate }]) => toStorable(predicate)),
  facts.map(([, { object }]) => toStorable(object)),
  facts.map(([, { objectKey }]) => toStorable(objectKey)),
  facts.map(([, { statement }]) => toStorable(statement)),
  facts.map(([, { confidence }]) => confidence),
  facts.map(([, { evidence }]) => toStorableJson(evidence.map((item) => ({ sourceId, ...item })))),
  facts.map(([, { validFrom }]) => validFrom),
  facts.map(([, { validTo }]) => validTo),
]

/** Removes U+0000, the only character that the database cannot store. It means nothing to a reader. */
export const toStorable = (text: string, replacement = '') => text.replaceAll('\0', replacement)
export const toStorableJson = (value: unknown) => JSON.stringify(value).replaceAll('\\u0000', '')
