import { PlatformError } from '@parley/contracts'
import type { Evaluation, IngestRun, IngestStore, NewFact } from '@parley/knowledge'
import type { JobQueue } from '../jobs/queues.ts'
import type { Run, Transact } from '../run-statements.ts'
import { applyRun } from './apply-run.ts'
import {
  type ActiveFactRow,
  type CandidateRow,
  type OriginalRow,
  candidateColumns,
  chunkColumns,
  epochOf,
  toActiveFact,
  toCandidate,
  toStorable,
  toStorableJson,
} from './ingest-rows.ts'
import * as sql from './ingest-statements.ts'
import { openRun } from './open-run.ts'
import { requestRebuild, newId } from './store-host.ts'

export interface IngestStoreHost {
  readonly run: Run
  readonly transact: Transact
  readonly jobs: JobQueue
}

const CHUNKS_AT_ONCE = 500
const SEGMENTS_AT_ONCE = 1_000

/** The store of ingest runs, through the login of `parley_learning`. */
export function postgresIngestStore({ run, transact, jobs }: IngestStoreHost): IngestStore {
  /** Only the last opener may write: a worker that was considered dead fails here. */
  const whileOpen = <Outcome>(ingest: IngestRun, work: (within: Run) => Promise<Outcome>): Promise<Outcome> =>
    transact(async (within) => {
      const [row] = await within(sql.LOCK_OPEN_RUN, [ingest.id, epochOf(ingest)])
      if (!row) throw createNotOpenError(ingest.id)
      return work(within)
    })

  return {
    openRun: (sourceId) => transact((within) => openRun(within, sourceId)),

    async readOriginal({ id }) {
      const [row] = await run<OriginalRow>(sql.READ_ORIGINAL, [id])
      if (!row) throw createNotOpenError(id)
      const { bytes, media_type: mediaType, file_name: fileName } = row
      return { bytes, mediaType, ...(fileName !== null && { fileName }) }
    },

    saveText: (ingest, { mediaType, title, segments }) =>
      whileOpen(ingest, async (within) => {
        await within(sql.CLEAR_TEXT, [ingest.id])
        await within(sql.NOTE_TEXT, [ingest.id, mediaType, title ?? null])
        for (const [ordinal, part] of splitInParts(segments, SEGMENTS_AT_ONCE).entries()) {
          await within(sql.SAVE_TEXT, [ingest.id, ingest.reflectionId, ordinal, JSON.stringify(part)])
        }
      }),

    async readText({ id }) {
      const [row] = await run<sql.TextRow>(sql.READ_TEXT_OF, [id])
      if (!row?.text_media_type) throw createNotOpenError(id)
      const parts = await run<sql.SegmentsRow>(sql.READ_SEGMENTS, [id])
      return {
        mediaType: row.text_media_type,
        ...(row.text_title !== null && { title: row.text_title }),
        segments: parts.flatMap(({ segments }) => segments),
      }
    },

    saveChunks: (ingest, chunks) =>
      whileOpen(ingest, async (within) => {
        await within(sql.CLEAR_CHUNKS, [ingest.id])
        for (const part of splitInParts(chunks, CHUNKS_AT_ONCE)) {
          await within(sql.SAVE_CHUNKS, [ingest.id, ...chunkColumns(part)])
        }
      }),

    readChunks: ({ id }, after, limit) => run(sql.READ_CHUNKS, [id, after, limit]),

    savePatch: (ingest, facts, notes = []) =>
      whileOpen(ingest, async (within) => {
        await within(sql.DISCARD_PATCH, [ingest.id])
        await within(sql.SAVE_RUN_EVALUATION, [ingest.id, null])
        if (facts.length === 0) return
        const patchId = newId('pat_')
        await within(sql.CREATE_PATCH, [patchId, ingest.id, toStorableJson(notes)])
        for (const part of splitInParts(numbered(facts), CHUNKS_AT_ONCE)) {
          await within(sql.SAVE_FACTS, [patchId, ...candidateColumns(ingest.sourceId, part)])
        }
      }),

    async readPatch({ id }) {
      const rows = await run<CandidateRow>(sql.READ_PATCH, [id])
      const [first] = rows
      return first && { id: first.patch_id, facts: rows.map(toCandidate), notes: first.notes }
    },

    async activeFacts({ id }, subjectKeys) {
      // First, so that a patch applied in between makes the evaluation stale.
      const [row] = await run<{ revision: number }>(sql.READ_REVISION, [id])
      const facts = await run<ActiveFactRow>(sql.ACTIVE_FACTS, [id, [...subjectKeys]])
      const corrected = await run<ActiveFactRow>(sql.CORRECTED_FACTS, [id, [...subjectKeys]])
      return {
        facts: facts.map(toActiveFact),
        corrected: corrected.map(toActiveFact),
        revision: row?.revision ?? 0,
      }
    },

    saveEvaluation: (ingest, evaluation) =>
      whileOpen(ingest, async (within) => {
        await within(sql.SAVE_RUN_EVALUATION, [ingest.id, JSON.stringify(evaluation)])
        await within(sql.SAVE_PATCH_EVALUATION, [ingest.id, JSON.stringify(evaluation)])
      }),

    async readEvaluation({ id }) {
      const [row] = await run<{ evaluation: Evaluation | null }>(sql.READ_EVALUATION, [id])
      return row?.evaluation ?? undefined
    },

    apply: (ingest, outcome) =>
      transact(async (within) => {
        const applied = await applyRun(within, ingest, outcome)
        if (applied === 'applied') await requestRebuild(jobs, within, ingest.reflectionId)
        return applied
      }),

    async fail(ingest, problem) {
      await run(sql.FAIL, [ingest.id, epochOf(ingest), toStorable(problem)])
    },

    async notePhase(ingest, phase, progress) {
      if (progress === 'done') await run(sql.NOTE_DONE, [ingest.id, epochOf(ingest), phase])
      else await run(sql.NOTE_PROGRESS, [ingest.id, epochOf(ingest), phase, progress.done, progress.total])
    },
  }
}

const createNotOpenError = (runId: string) =>
  new PlatformError('internal', {
    message: `The run ${runId} is no longer open: another worker has it, it has ended, or its source was removed.`,
  })

const numbered = (facts: readonly NewFact[]) =>
  facts.map((fact, ordinal) => [ordinal, { ...fact, id: newId('fct_') }] as const)

function splitInParts<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
