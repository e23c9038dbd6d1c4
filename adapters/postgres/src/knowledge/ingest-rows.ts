import type { PatchId, SourceId, Finding } from '@parley/contracts'
import type { CandidateFact, Chunk, IngestRun, NewFact } from '@parley/knowledge'
import { type RowOf, toRecord } from '../records.ts'

type FactFields = Omit<CandidateFact, 'evidence'>

export type CandidateRow = RowOf<FactFields> &
  Pick<CandidateFact, 'evidence'> & { readonly patch_id: PatchId; readonly notes: readonly Finding[] }

export interface OpenedRun extends IngestRun {
  readonly epoch: number
}

/** The epoch in which a run was opened; only runs from `openRun` have one. */
export const getEpoch = (run: IngestRun | OpenedRun): number => ('epoch' in run ? run.epoch : 0)

export const toCandidateFact = ({
  patch_id: _patch,
  notes: _notes,
  evidence,
  ...row
}: CandidateRow): CandidateFact => ({
  ...toRecord<FactFields>(row),
  evidence: evidence.map(({ quote, place, chunk }) => ({ quote, place, chunk })),
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
