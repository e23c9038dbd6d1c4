import { extractText } from '@parley/documents'
import {
  type FactExtractor,
  ingest,
  type IngestStore,
  type LearningStore,
  proposeCorrection,
} from '@parley/knowledge'
import type { JobHandlers } from '@parley/postgres'
import type { Logger } from 'pino'

interface HandlersHost {
  readonly ingest: IngestStore
  readonly learning: LearningStore
  readonly logger: Logger
  /** A better one than the rules. */
  readonly extractFacts?: FactExtractor
  /** Told after each run, which may have brought chunks. */
  readonly onIngested?: () => void
}

/** What is done for each kind of job. Each may be done again: a worker may die at any moment, and another begins anew. */
export function createHandlers(host: HandlersHost): JobHandlers {
  const { ingest: store, learning, logger, extractFacts, onIngested = () => {} } = host
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
    async gaveUp(queue, job, problem) {
      logger.error({ queue, job, problem }, 'a job was given up')
      if (queue !== 'ingest-source' || !('sourceId' in job)) return
      const run = await store.openRun(job.sourceId)
      if (run)
        await store.fail(
          run,
          `It could not be learned, however often it was tried: ${problem}. Add it again once that is mended.`,
        )
    },
  }
}
