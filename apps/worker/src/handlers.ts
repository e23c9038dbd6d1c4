import { createHash } from 'node:crypto'
import type { PrivateDossier } from '@parley/contracts'
import { extractText } from '@parley/documents'
import {
  type FactExtractor,
  ingest,
  type IngestStore,
  type LearningStore,
  proposeCorrection,
} from '@parley/knowledge'
import type { JobHandlers } from '@parley/postgres'
import { type ArtifactStore, type Narrator, rebuildVoice } from '@parley/reflections'
import type { Logger } from 'pino'

interface HandlersHost {
  readonly ingest: IngestStore
  readonly learning: LearningStore
  readonly artifacts: ArtifactStore
  readonly logger: Logger
  /** Extracts facts with a model instead of rules. */
  readonly extractFacts?: FactExtractor
  readonly narrator?: Narrator
  /** Called after each run, which may have added chunks. */
  readonly onIngested?: () => void
}

/** The handler for each kind of job. A job may run twice: a worker can die at any moment. */
export function createJobHandlers(host: HandlersHost): JobHandlers {
  const { ingest: store, learning, artifacts, logger, extractFacts, narrator, onIngested = () => {} } = host
  return {
    async 'ingest-source'({ sourceId }, signal) {
      const run = await store.openRun(sourceId)
      if (!run) return
      await ingest(run, { store, extractText, signal, ...(extractFacts && { extractFacts }) })
      onIngested()
    },
    'review-patch': ({ patchId, said, by }) => learning.applyReview(patchId, said, by),
    'propose-correction': ({ patchId }) => proposeCorrection(patchId, learning),
    'remove-source': ({ sourceId }) => learning.eraseSource(sourceId),
    'remove-reflection': ({ reflectionId }) => learning.eraseReflection(reflectionId),
    async 'rebuild-voice'({ reflectionId }, signal) {
      const narrate = narrator && ((dossier: PrivateDossier) => narrator(dossier, signal))
      const rebuilt = await rebuildVoice(reflectionId, artifacts, sha256, narrate)
      if (rebuilt === 'rejected')
        logger.error({ reflectionId }, 'the artifacts of a reflection were rejected')
    },
    async gaveUp(queue, job, problem) {
      logger.error({ queue, job, problem }, 'a job was given up')
      if (queue !== 'ingest-source' || !('sourceId' in job)) return
      const run = await store.openRun(job.sourceId)
      if (run)
        await store.fail(
          run,
          `The import failed after several attempts: ${problem}. Add it again once that is fixed.`,
        )
    },
  }
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
