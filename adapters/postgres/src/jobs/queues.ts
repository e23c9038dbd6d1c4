import type { PatchId, PersonId, ReflectionId, ReviewPatch, SourceId } from '@parley/contracts'

/** What each queue's jobs are told. */
export interface Jobs {
  readonly 'ingest-source': { readonly sourceId: SourceId }
  readonly 'review-patch': { readonly patchId: PatchId; readonly said: ReviewPatch; readonly by: PersonId }
  readonly 'propose-correction': { readonly patchId: PatchId }
  readonly 'remove-source': { readonly sourceId: SourceId }
  readonly 'remove-reflection': { readonly reflectionId: ReflectionId }
  /** What speaks for the reflection is built anew, from what is known and published by then. */
  readonly 'rebuild-voice': { readonly reflectionId: ReflectionId }
}
export type JobName = keyof Jobs

export const JOB_NAMES = [
  'ingest-source',
  'review-patch',
  'propose-correction',
  'remove-source',
  'remove-reflection',
  'rebuild-voice',
] as const satisfies readonly JobName[]

/** Where a job goes that failed each time it was tried. */
export const GAVE_UP = 'gave-up'

export const JOBS_SCHEMA = 'pgboss'

/** Of the jobs of one key one runs at a time; any number may wait, since the last may know of more than those before. */
export const QUEUE_POLICY = 'singleton'

export const QUEUE_OPTIONS = {
  // A new job wakes the workers.
  notify: true,
  retryLimit: 3,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 30,
  expireInSeconds: 4 * 60 * 60,
  // A worker that has been silent for so long is dead, and another gets its job.
  heartbeatSeconds: 10,
  deleteAfterSeconds: 24 * 60 * 60,
  deadLetter: GAVE_UP,
} as const
