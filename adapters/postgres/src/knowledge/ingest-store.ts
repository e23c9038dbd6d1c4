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
import { askToRebuild, newId } from './store-host.ts'

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
  const whileOpen = <Outcome>(of: IngestRun, work: (within: Run) => Promise<Outcome>): Promise<Outcome> =>
    transact(async (within) => {
      const [row] = await within(sql.LOCK_OPEN_RUN, [of.id, epochOf(of)])
      if (!row) throw notOpen(of.id)
      return work(within)
    })

  return {
    openRun: (sourceId) => transact((within) => openRun(within, sourceId)),

    async readOriginal({ id }) {
      const [row] = await run<OriginalRow>(sql.READ_ORIGINAL, [id])
      if (!row) throw notOpen(id)
      const { bytes, media_type: mediaType, file_name: fileName } = row
      return { bytes, mediaType, ...(fileName !== null && { fileName }) }
    },

    saveText: (of, { mediaType, title, segments }) =>
      whileOpen(of, async (within) => {
        await within(sql.CLEAR_TEXT, [of.id])
        await within(sql.NOTE_TEXT, [of.id, mediaType, title ?? null])
        for (const [ordinal, part] of partsOf(segments, SEGMENTS_AT_ONCE).entries()) {
          await within(sql.SAVE_TEXT, [of.id, of.reflectionId, ordinal, JSON.stringify(part)])
        }
      }),

    async readText({ id }) {
      const [row] = await run<sql.TextRow>(sql.READ_TEXT_OF, [id])
      if (!row?.text_media_type) throw notOpen(id)
      const parts = await run<sql.SegmentsRow>(sql.READ_SEGMENTS, [id])
      return {
        mediaType: row.text_media_type,
        ...(row.text_title !== null && { title: row.text_title }),
        segments: parts.flatMap(({ segments }) => segments),
      }
    },

    saveChunks: (of, chunks) =>
      whileOpen(of, async (within) => {
        await within(sql.CLEAR_CHUNKS, [of.id])
        for (const part of partsOf(chunks, CHUNKS_AT_ONCE)) {
          await within(sql.SAVE_CHUNKS, [of.id, ...chunkColumns(part)])
        }
      }),

    readChunks: ({ id }, after, limit) => run(sql.READ_CHUNKS, [id, after, limit]),

    savePatch: (of, facts, notes = []) =>
      whileOpen(of, async (within) => {
        await within(sql.DISCARD_PATCH, [of.id])
        await within(sql.SAVE_RUN_EVALUATION, [of.id, null])
        if (facts.length === 0) return
        const patchId = newId('pat_')
        await within(sql.CREATE_PATCH, [patchId, of.id, toStorableJson(notes)])
        for (const part of partsOf(numbered(facts), CHUNKS_AT_ONCE)) {
          await within(sql.SAVE_FACTS, [patchId, ...candidateColumns(of.sourceId, part)])
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

    saveEvaluation: (of, evaluation) =>
      whileOpen(of, async (within) => {
        await within(sql.SAVE_RUN_EVALUATION, [of.id, JSON.stringify(evaluation)])
        await within(sql.SAVE_PATCH_EVALUATION, [of.id, JSON.stringify(evaluation)])
      }),

    async readEvaluation({ id }) {
      const [row] = await run<{ evaluation: Evaluation | null }>(sql.READ_EVALUATION, [id])
      return row?.evaluation ?? undefined
    },

    apply: (of, outcome) =>
      transact(async (within) => {
        const applied = await applyRun(within, of, outcome)
        if (applied === 'applied') await askToRebuild(jobs, within, of.reflectionId)
        return applied
      }),

    async fail(of, problem) {
      await run(sql.FAIL, [of.id, epochOf(of), toStorable(problem)])
    },

    async notePhase(of, phase, progress) {
      if (progress === 'done') await run(sql.NOTE_DONE, [of.id, epochOf(of), phase])
      else await run(sql.NOTE_PROGRESS, [of.id, epochOf(of), phase, progress.done, progress.total])
    },
  }
}

const notOpen = (runId: string) =>
  new PlatformError('internal', {
    message: `The run ${runId} is no longer open: another worker has it, it has ended, or its source was removed.`,
  })

const numbered = (facts: readonly NewFact[]) =>
  facts.map((fact, ordinal) => [ordinal, { ...fact, id: newId('fct_') }] as const)

function partsOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
